//! Makes a small agent to start from.

use std::path::{Path, PathBuf};

use attache_package::PackageName;
use attache_package::formats::FormatName;
use fs_err as fs;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{App, Error, Kind, Outcome};

/// What to make, and where.
#[derive(Debug, Clone)]
pub struct InitRequest {
    /// The folder to make; it must be new or empty.
    pub folder: PathBuf,
    /// The dialect.
    pub format: FormatName,
    /// The package's name; taken from the folder's if there is none.
    pub id: Option<String>,
    /// The creation time to write, in seconds since 1970.
    pub now: i64,
}

/// What was made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct InitOutcome {
    /// The dialect.
    pub format: FormatName,
    /// The package's name.
    pub id: PackageName,
    /// The folder.
    #[serde(with = "crate::lossy")]
    #[schemars(with = "String")]
    pub path: PathBuf,
    /// The files in it, sorted.
    pub files: Vec<String>,
}

impl Outcome for InitOutcome {
    const SCHEMA: &'static str = "attache.init/1";
}

/// Writes the scaffold. On failure, the files already made are removed again.
pub fn init(_: &App, request: &InitRequest) -> Result<InitOutcome, Error> {
    let id = match &request.id {
        Some(text) => text.clone(),
        None => id_from(&request.folder, request.format)?,
    };
    let bad_id = |error: attache_package::InvalidName| {
        Error::new(Kind::Usage, "ATT-NAME", error.to_string()).hint(match request.format {
            FormatName::Nexo => "choose one with --id, e.g. --id com.example.my_agent",
            _ => "choose one with --id, e.g. --id my-agent",
        })
    };
    let id: PackageName = id.parse().map_err(bad_id)?;
    let created_at = crate::build::rfc3339(request.now)?;
    let files = request
        .format
        .format()
        .scaffold(&id, &created_at)
        .map_err(bad_id)?;

    let folder = &request.folder;
    if folder.exists() {
        let mut inside = fs::read_dir(folder).map_err(|e| Error::io("look into", folder, &e))?;
        if inside.next().is_some() {
            return Err(Error::new(
                Kind::Failed,
                "ATT-INIT-NOT-EMPTY",
                format!(
                    "`{}` is not empty, and nothing in it was touched",
                    folder.display()
                ),
            )
            .hint("name a new folder: `attache init my-agent`"));
        }
    }
    let fresh = !folder.exists();
    let written = files.iter().try_for_each(|file| {
        let path = folder.join(file.path);
        write_new(&path, &file.bytes, file.executable).map_err(|e| Error::write("write", &path, &e))
    });
    if let Err(error) = written {
        let files: Vec<_> = files.iter().map(|file| file.path).collect();
        undo(folder, &files, fresh);
        return Err(error);
    }
    let mut names: Vec<_> = files.iter().map(|file| file.path.to_owned()).collect();
    names.sort();
    Ok(InitOutcome {
        format: request.format,
        id,
        path: folder.clone(),
        files: names,
    })
}

/// Removes what was made before something failed, in a folder that was new or empty.
fn undo(folder: &Path, files: &[&str], fresh: bool) {
    for file in files {
        let _ = fs::remove_file(folder.join(file));
        // Only folders that are empty go, so nothing of anyone else's does.
        for parent in Path::new(file)
            .ancestors()
            .skip(1)
            .filter(|p| !p.as_os_str().is_empty())
        {
            let _ = fs::remove_dir(folder.join(parent));
        }
    }
    if fresh {
        let _ = fs::remove_dir(folder);
    }
}

fn id_from(folder: &Path, format: FormatName) -> Result<String, Error> {
    let whole = std::path::absolute(folder).map_err(|e| Error::io("find", folder, &e))?;
    let name = whole
        .file_name()
        .map(|n| n.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        })
        .collect();
    let plain = plain.trim_matches(['-', '.']);
    if plain.is_empty() {
        let message = format!(
            "no package can be named after the folder `{}`",
            folder.display()
        );
        return Err(Error::new(Kind::Usage, "ATT-NAME", message).hint("choose a name with --id"));
    }
    Ok(match format {
        // Nexo ids are in reverse-domain notation and have no `-`.
        FormatName::Nexo if !plain.contains('.') => format!("local.{}", plain.replace('-', "_")),
        FormatName::Nexo => plain.replace('-', "_"),
        _ => plain.to_owned(),
    })
}

pub(crate) fn write_new(path: &Path, bytes: &[u8], executable: bool) -> std::io::Result<()> {
    use std::io::Write;
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)?;
    file.write_all(bytes)?;
    #[cfg(unix)]
    if executable {
        use std::os::unix::fs::PermissionsExt;
        let mode = file.metadata()?.permissions().mode();
        file.set_permissions(std::fs::Permissions::from_mode(mode | 0o111))?;
    }
    Ok(())
}
