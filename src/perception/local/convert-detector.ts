import { Attribute, GraphBuilder, Tensor } from '../../lm/onnx/graph/graph-builder.js';
import { TfjsConstant, TfjsModel, TfjsNode } from './tfjs-model.js';

/** Side of the square picture that the detector takes, and of the maps that it gives. */
export const INPUT_SIDE = 512;
export const MAP_SIDE = 128;
export const CLASS_COUNT = 80;

/**
 * The convolutional part of the CenterNet detector as ONNX, channels first. The rest of the original graph only picks
 * peaks, which plain code does as well (peaks.ts).
 *
 * Input `image` [1, 3, 512, 512], RGB in 0–255. Outputs `heat` [1, 80, 128, 128], scores in 0–1 per class, and `sides`
 * [1, 4, 128, 128], distances from a peak to the left, top, right and bottom of its box in pixels of the input.
 */
export function convertDetector(model: TfjsModel): Uint8Array {
  const graph = new GraphBuilder('centernet');
  const converted = new Map<string, Tensor>();
  const image = graph.input('image', 'float32', [1, 3, INPUT_SIDE, INPUT_SIDE]);

  const convert = (reference: string): Tensor => {
    const name = reference.split(':')[0]!;
    const known = converted.get(name);
    if (known !== undefined) return known;
    const node = model.nodes.get(name);
    if (node === undefined) throw new Error(`The detector's graph lacks the node ${name}.`);
    const tensor = node.op === 'Placeholder' ? image : convertNode(graph, node, convert, model);
    converted.set(name, tensor);
    return tensor;
  };

  graph.output('heat', convert('tower_0/keypoints'), 'float32', [1, CLASS_COUNT, MAP_SIDE, MAP_SIDE]);
  graph.output('sides', convert('tower_0/wh'), 'float32', [1, 4, MAP_SIDE, MAP_SIDE]);
  return graph.build();
}

function convertNode(
  graph: GraphBuilder,
  node: TfjsNode,
  convert: (name: string) => Tensor,
  model: TfjsModel,
): Tensor {
  const inputs = node.input ?? [];
  const input = (i: number) => convert(inputs[i]!);
  const constant = (i: number) => constantOf(model, inputs[i]!);
  switch (node.op) {
    case 'Const':
      return scalarConstant(graph, node.name, constantOf(model, node.name));
    case 'Conv2D':
    case '_FusedConv2D':
      return convolution(
        graph,
        node,
        input(0),
        turnKernel(constant(1)),
        1,
        inputs.length > 2 ? constant(2) : null,
      );
    case 'DepthwiseConv2dNative':
    case 'FusedDepthwiseConv2dNative':
      return convolution(
        graph,
        node,
        input(0),
        turnDepthwiseKernel(constant(1)),
        constant(1).dims[2]!,
        inputs.length > 2 ? constant(2) : null,
      );
    case 'Mul':
    case 'Add':
      return graph.node(node.op, [input(0), input(1)]);
    case 'Relu':
    case 'Sigmoid':
    case 'Identity':
      return graph.node(node.op, [input(0)]);
    case 'Relu6':
      return graph.node('Clip', [input(0), graph.scalar(0), graph.scalar(6)]);
    case 'Mean':
      return graph.node('ReduceMean', [input(0), graph.integers([2, 3])], { attributes: { keepdims: 1 } });
    case 'ConcatV2':
      return graph.node('Concat', [input(0), input(1)], { attributes: { axis: 1 } });
    case 'ResizeBilinear':
      return resize(graph, input(0), constant(1));
    default:
      throw new Error(`The detector's graph has an operator that is not converted: ${node.op}.`);
  }
}

function convolution(
  graph: GraphBuilder,
  node: TfjsNode,
  input: Tensor,
  kernel: TfjsConstant,
  group: number,
  bias: TfjsConstant | null,
): Tensor {
  const attributes: Record<string, Attribute> = {
    auto_pad: 'SAME_UPPER',
    group,
    strides: spatial(node, 'strides'),
    dilations: spatial(node, 'dilations'),
  };
  const weight = graph.initializer(`${node.name}/kernel`, kernel);
  const inputs =
    bias === null ? [input, weight] : [input, weight, graph.initializer(`${node.name}/bias`, bias)];
  const y = graph.node('Conv', inputs, { attributes });
  const fused = (node.attr?.['fused_ops']?.list?.s ?? []).map((text) =>
    Buffer.from(text, 'base64').toString(),
  );
  return fused.includes('Relu') ? graph.node('Relu', [y]) : y;
}

/** Height and width of an attribute of four numbers, batch and channels left out. */
function spatial(node: TfjsNode, name: string): number[] {
  const values = (node.attr?.[name]?.list?.i ?? [1, 1, 1, 1]).map(Number);
  return [values[1]!, values[2]!];
}

/** TensorFlow's old corner-aligned rule, without half pixels, as the graph says. */
function resize(graph: GraphBuilder, input: Tensor, size: TfjsConstant): Tensor {
  const [height, width] = [...size.data] as [number, number];
  const batchAndChannels = graph.node('Shape', [input], { attributes: { end: 2 } });
  const sizes = graph.node('Concat', [batchAndChannels, graph.integers([height, width])], {
    attributes: { axis: 0 },
  });
  return graph.node('Resize', [input, null, null, sizes], {
    attributes: { mode: 'linear', coordinate_transformation_mode: 'asymmetric' },
  });
}

function scalarConstant(graph: GraphBuilder, name: string, { dims, data }: TfjsConstant): Tensor {
  if (dims.length !== 0) throw new Error(`The constant ${name} is not a number, so its layout is unknown.`);
  return graph.initializer(name, { dims: [], data });
}

function constantOf(model: TfjsModel, name: string): TfjsConstant {
  const constant = model.constants.get(name);
  if (constant === undefined) throw new Error(`${name} is not a constant.`);
  return constant;
}

/** [height, width, in, out] → [out, in, height, width] */
function turnKernel({ dims, data }: TfjsConstant): TfjsConstant {
  const [height, width, channels, count] = dims as [number, number, number, number];
  const turned = new Float32Array(data.length);
  for (let o = 0, at = 0; o < count; o++)
    for (let c = 0; c < channels; c++)
      for (let pixel = 0; pixel < height * width; pixel++)
        turned[at++] = data[(pixel * channels + c) * count + o]!;
  return { dims: [count, channels, height, width], data: turned };
}

/** [height, width, channels, 1] → [channels, 1, height, width] */
function turnDepthwiseKernel({ dims, data }: TfjsConstant): TfjsConstant {
  const [height, width, channels, multiplier] = dims as [number, number, number, number];
  if (multiplier !== 1)
    throw new Error('Depthwise convolutions with more than one output per channel are not converted.');
  const turned = new Float32Array(data.length);
  for (let c = 0, at = 0; c < channels; c++)
    for (let pixel = 0; pixel < height * width; pixel++) turned[at++] = data[pixel * channels + c]!;
  return { dims: [channels, 1, height, width], data: turned };
}
