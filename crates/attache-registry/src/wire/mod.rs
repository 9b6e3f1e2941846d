//! What goes over the wire, or is carried on a stick: the documents that registries and clients
//! both read.

pub use index::{Index, IndexDependency, IndexLine, IndexRequirement, InvalidIndex};

mod index;
mod plain;
