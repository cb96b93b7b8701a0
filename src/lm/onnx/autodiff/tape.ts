import { GraphBuilder, Tensor } from '../graph/graph-builder.js';

/** Adds the nodes that turn the gradient of an operator's output into those of its inputs. */
export type Backward = (outputGradient: Tensor) => void;

/**
 * Reverse-mode differentiation over a graph builder. Forward operators record how to go back; `backward` walks them in
 * reverse and adds plain ONNX nodes for the gradients, so that one session runs forward and backward.
 */
export class Tape {
  private readonly records: { output: Tensor; backward: Backward }[] = [];
  private readonly gradients = new Map<string, Tensor>();
  private readonly tracked = new Set<string>();

  constructor(readonly graph: GraphBuilder) {}

  /** Marks a tensor whose gradient is wanted. */
  track(tensor: Tensor): Tensor {
    this.tracked.add(tensor.name);
    return tensor;
  }

  isTracked(tensor: Tensor): boolean {
    return this.tracked.has(tensor.name);
  }

  /** Registers an operator; its backward runs only when one of the inputs is tracked. */
  record(output: Tensor, inputs: readonly Tensor[], backward: Backward): Tensor {
    if (inputs.some((input) => this.isTracked(input))) {
      this.track(output);
      this.records.push({ output, backward });
    }
    return output;
  }

  /** Adds to the gradient of a tensor. The node is made only when the tensor is tracked. */
  accumulate(tensor: Tensor, gradient: () => Tensor): void {
    if (!this.isTracked(tensor)) return;
    const before = this.gradients.get(tensor.name);
    this.gradients.set(
      tensor.name,
      before === undefined ? gradient() : this.graph.node('Add', [before, gradient()]),
    );
  }

  /** Adds to the gradient in place of `Add` where an operator can take the sum so far as its base. */
  accumulateOnto(tensor: Tensor, gradient: (base: Tensor | null) => Tensor): void {
    if (!this.isTracked(tensor)) return;
    this.gradients.set(tensor.name, gradient(this.gradients.get(tensor.name) ?? null));
  }

  /** Goes back from `output`, whose gradient is given. */
  backward(output: Tensor, gradient: Tensor): void {
    this.accumulate(output, () => gradient);
    for (const record of this.records.reverse()) {
      const outputGradient = this.gradients.get(record.output.name);
      if (outputGradient !== undefined) record.backward(outputGradient);
    }
  }

  /** @throws Error when nothing leads from the output to the tensor */
  gradient(tensor: Tensor): Tensor {
    const gradient = this.gradients.get(tensor.name);
    if (gradient === undefined)
      throw new Error(`The output does not depend on ${tensor.name}, so it has no gradient.`);
    return gradient;
  }
}
