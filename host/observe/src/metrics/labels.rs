use prometheus_client::encoding::EncodeLabelSet;

/// An operation of the API.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Operation {
    pub(super) operation: &'static str,
}

/// An operation and what it came to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Answered {
    pub(super) operation: &'static str,
    pub(super) status: String,
}

/// A kind of job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct OfKind {
    pub(super) kind: &'static str,
}

/// A kind of job and how an attempt at one ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Outcome {
    pub(super) kind: &'static str,
    pub(super) outcome: &'static str,
}

/// A kind of job and a part of the work on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Part {
    pub(super) kind: &'static str,
    pub(super) part: String,
}

/// What happened to a part of a model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct How {
    pub(super) how: &'static str,
}

/// What a worker does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Worker {
    pub(super) state: &'static str,
}
