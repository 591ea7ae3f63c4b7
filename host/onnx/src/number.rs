//! Numbers of the fields of ONNX's messages (onnx.proto, IR version 13).

/// `ModelProto.ir_version`.
pub(crate) const MODEL_IR_VERSION: u32 = 1;
/// `ModelProto.graph`.
pub const MODEL_GRAPH: u32 = 7;
/// `ModelProto.opset_import`.
pub const MODEL_OPSET_IMPORT: u32 = 8;
/// `ModelProto.metadata_props`.
pub(crate) const MODEL_METADATA: u32 = 14;
/// `ModelProto.training_info`.
pub const MODEL_TRAINING: u32 = 20;
/// `ModelProto.functions`.
pub const MODEL_FUNCTIONS: u32 = 25;
/// `GraphProto.node`.
pub const GRAPH_NODE: u32 = 1;
/// `GraphProto.initializer`.
pub const GRAPH_INITIALIZER: u32 = 5;
/// `GraphProto.input`.
pub const GRAPH_INPUT: u32 = 11;
/// `GraphProto.output`.
pub const GRAPH_OUTPUT: u32 = 12;
/// `GraphProto.value_info`.
pub(crate) const GRAPH_VALUE_INFO: u32 = 13;
/// `GraphProto.sparse_initializer`.
pub const GRAPH_SPARSE_INITIALIZER: u32 = 15;
/// `TensorProto.dims`.
pub(crate) const TENSOR_DIMS: u32 = 1;
/// `TensorProto.data_type`.
pub(crate) const TENSOR_DATA_TYPE: u32 = 2;
/// `TensorProto.segment`.
pub(crate) const TENSOR_SEGMENT: u32 = 3;
/// `TensorProto.name`.
pub(crate) const TENSOR_NAME: u32 = 8;
/// `TensorProto.raw_data`.
pub(crate) const TENSOR_RAW_DATA: u32 = 9;
/// `TensorProto.external_data`.
pub(crate) const TENSOR_EXTERNAL_DATA: u32 = 13;
/// `TensorProto.data_location`.
pub const TENSOR_DATA_LOCATION: u32 = 14;
