//! A registry for npm and uv on this machine alone, for as long as the bench runs.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result};

use super::export;
use super::universe::Universe;

/// Serves universes by their names until it is dropped.
pub(super) struct Server {
    /// Where it is, without a slash at the end.
    address: String,
    stopped: Arc<AtomicBool>,
}

struct Shelf {
    address: String,
    universes: Vec<(String, Universe)>,
}

impl Server {
    /// Starts serving on a free port.
    pub(super) fn start(universes: Vec<(String, Universe)>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("could not serve packages")?;
        let address = format!("http://{}", listener.local_addr()?);
        let stopped = Arc::new(AtomicBool::new(false));
        let shelf = Arc::new(Shelf {
            address: address.clone(),
            universes,
        });
        let flag = Arc::clone(&stopped);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if flag.load(Ordering::Relaxed) {
                    break;
                }
                let shelf = Arc::clone(&shelf);
                // Ends when whoever asks closes the connection.
                thread::spawn(move || shelf.serve(&stream));
            }
        });
        Ok(Self { address, stopped })
    }

    /// Returns the address of one universe.
    pub(super) fn base(&self, name: &str) -> String {
        format!("{}/{name}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for the next connection.
        let _ = TcpStream::connect(self.address.trim_start_matches("http://"));
    }
}

impl Shelf {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(path) = asked(&mut reader) {
            let (status, kind, body) = match self.answer(&path) {
                Some((kind, body)) => ("200 OK", kind, body),
                None => ("404 Not Found", "text/plain", String::new()),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\
                 cache-control: max-age=86400\r\n\r\n",
                body.len()
            );
            let mut stream = stream;
            if stream.write_all((head + &body).as_bytes()).is_err() {
                return;
            }
        }
    }

    /// Returns the kind and the text of a document.
    fn answer(&self, path: &str) -> Option<(&'static str, String)> {
        let (name, rest) = path.trim_matches('/').split_once('/')?;
        let (_, universe) = self.universes.iter().find(|(known, _)| known == name)?;
        let (service, file) = rest.split_once('/')?;
        let base = format!("{}/{name}", self.address);
        let number = |text: &str| text.strip_prefix('p')?.parse::<usize>().ok();
        match service {
            "npm" => Some((
                "application/vnd.npm.install-v1+json",
                export::packument(universe, number(file)?, &base)?,
            )),
            "simple" => Some((
                "application/vnd.pypi.simple.v1+json",
                export::simple_page(universe, number(file)?, &base)?,
            )),
            "files" => {
                let wheel = file.strip_suffix("-py3-none-any.whl.metadata")?;
                let (package, version) = wheel.split_once('-')?;
                let text = export::metadata(universe, number(package)?, version)?;
                Some(("text/plain", text))
            }
            _ => None,
        }
    }
}

/// Reads one request and returns its path; nothing when there is no other.
fn asked(reader: &mut impl BufRead) -> Option<String> {
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        if header.trim().is_empty() {
            return Some(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::super::universe::CASES;
    use super::*;

    #[test]
    fn documents_are_served_one_after_another_on_one_connection() {
        let universe = CASES[0].universe();
        let server = Server::start(vec![("100".to_owned(), universe.clone())]).unwrap();
        let address = server.address.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).unwrap();
        let last = universe.packages[7].versions[0].number;
        for path in [
            "/100/npm/p7".to_owned(),
            "/100/simple/p7/".to_owned(),
            format!("/100/files/p7-{last}-py3-none-any.whl.metadata"),
            "/100/npm/left-pad".to_owned(),
        ] {
            write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        }
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 3, "{text}");
        assert_eq!(text.matches("HTTP/1.1 404").count(), 1, "{text}");
        assert!(text.contains("Name: p7\n"), "{text}");
    }
}
