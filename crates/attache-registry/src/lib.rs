//! How packages travel: the wire format, the client and the server.
//!
//! The one idea: a registry is an index that only grows and blobs named by their digest, so a
//! client can check everything it is given and a mirror needs no trust. The server is also the
//! test double: tests start the real one on a folder, and there is no second implementation to
//! keep in step.
//!
//! Start at [`wire`]: what an index says of each version. The client and the server are still to
//! come; async begins with them. Not here: which versions to fetch (`attache-resolve`), whether
//! to accept what came (`attache-trust`), and where it is kept (`attache-store`).

pub mod wire;
