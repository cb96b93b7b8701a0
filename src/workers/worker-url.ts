/**
 * Address of a compiled worker beside the calling module.
 *
 * Worker threads load plain JavaScript. When the caller runs from source (under the test runner), the worker is
 * taken from the build in `dist/`, which the test command makes first.
 *
 * @param callerUrl the caller's `import.meta.url`
 * @param relativePath the worker relative to the caller, with its `.js` ending
 */
export function workerUrl(callerUrl: string, relativePath: string): URL {
  const url = new URL(relativePath, callerUrl);
  if (callerUrl.endsWith('.ts'))
    url.pathname = url.pathname.replace(/\/(src|worlds|bench)\/(?!.*\/(src|worlds|bench)\/)/, '/dist/$1/');
  return url;
}
