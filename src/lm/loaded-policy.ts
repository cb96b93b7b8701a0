/** Which policy serves, for the row that its trajectories point at. */
export interface LoadedPolicy {
  /** Model and contents, such as `tiny@1f2e3d4c`. */
  name: string;
  /** Folder, or the name of the model on another server. */
  location: string;
  /** Of the weights; null for a model that another server holds. */
  sha256: string | null;
}
