//! Writing a file whole or not at all.

use std::io::Write;
use std::path::Path;

use crate::{Error, Kind};

/// Writes beside the file first, then over it, so that nobody ever sees half of it. A link stays
/// one.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let failed = |e: &std::io::Error| Error::write("write", path, e);
    let target = fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs_err::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
        let message = format!(
            "`{}` is no ordinary file, and was left alone",
            path.display()
        );
        return Err(Error::new(Kind::Usage, "ATT-OUTPUT", message).hint("write elsewhere with -o"));
    }
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".attache-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the user's umask leaves of it, as for any other file.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder
        .tempfile_in(folder.unwrap_or(Path::new(".")))
        .map_err(|e| failed(&e))?;
    file.write_all(text.as_bytes()).map_err(|e| failed(&e))?;
    file.persist(&target).map_err(|e| failed(&e.error))?;
    Ok(())
}
