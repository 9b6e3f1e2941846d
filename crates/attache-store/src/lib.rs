//! Where packages live on this machine: blobs, versions and generations.
//!
//! The one idea: an install never edits what is there. It adds blobs, writes a new generation
//! beside the old ones, then moves one pointer. Rolling back moves the pointer again, and a
//! crash half-way leaves the old pointer standing.
//!
//! Still empty: it is filled when packages are installed, upgraded and rolled back. Not here:
//! *what* to install (`attache-resolve`), *whether to trust it* (`attache-trust`), and opening
//! and checking archives (`attache-package`).
