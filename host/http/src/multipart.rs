use std::path::Path;

use hyper::HeaderMap;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use multer::{Constraints, Field, Multipart, SizeLimit};

use crate::body::{BodyFault, BodyTimes, PacedBody, Unsettled};
use crate::small_body::nul_in;
use crate::upload::{Upload, UploadWriter};
use crate::{FieldError, Refusal, toggle};

/// A part's header is a few hundred bytes; the parser would buffer an endless one.
const MAX_PART_HEADER_BYTES: u64 = 64 << 10;

/// The longest text field: metadata of 16 pairs with every letter written as `\ud83d\ude00` comes to 110,000 bytes.
const MAX_TEXT_BYTES: usize = 128 << 10;

/// All text fields of a form, which are held in memory.
const MAX_ALL_TEXT_BYTES: usize = 512 << 10;

/// Parts of a form: every parameter of every effect as a field of its own comes to less than this.
const MAX_PARTS: usize = 512;

/// Room for headers and text beside the files.
const OVERHEAD_BYTES: u64 = 4 << 20;

/// Where a field may have several files, all of them together may be as large as this many of the largest.
const LARGEST_OF_SEVERAL: u64 = 10;

/// How a form is read.
#[derive(Debug, Clone, Copy)]
pub struct FormRules<'a> {
    /// The names of the file fields.
    pub files: &'a [&'static str],
    /// The names of the text fields, whatever the headers of a part say; each also covers `name[key]`. Parts of any other name are read
    /// and not kept.
    pub texts: &'a [&'static str],
    /// The largest file.
    pub max_file_bytes: u64,
    /// Where files are kept until they are accepted.
    pub folder: &'a Path,
    /// How long the body may take.
    pub times: BodyTimes,
}

/// A form that was read to its end.
#[derive(Debug, Default)]
pub struct Form {
    /// Text fields in the order in which they came.
    pub fields: Vec<(String, String)>,
    /// Files by field.
    pub files: Vec<(&'static str, Upload)>,
    /// What is wrong with single fields.
    pub mistakes: Vec<FieldError>,
    text_bytes: usize,
    /// How many files a field may have.
    most: usize,
}

impl Form {
    /// The value of a text field without blanks around it. Of several fields of one name the last counts, and an empty one counts as
    /// not given.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().rev().find(|(given, _)| given == name);
        found
            .map(|(_, text)| text.trim())
            .filter(|text| !text.is_empty())
    }

    /// A text field that is on or off: `true`, `false`, `1`, `0` in any letter case; `None` where it is not given. Anything
    /// else is a mistake.
    pub fn toggle(&self, name: &str, mistakes: &mut Vec<FieldError>) -> Option<bool> {
        toggle::of_field((name, self.text(name)), mistakes)
    }

    /// Takes the file of a field out of the form.
    pub fn take_file(&mut self, name: &str) -> Option<Upload> {
        let at = self.files.iter().position(|(given, _)| *given == name)?;
        Some(self.files.swap_remove(at).1)
    }

    /// Takes all files of a field out of the form, in their order.
    pub fn take_files(&mut self, name: &str) -> Vec<Upload> {
        let taken = self.files.extract_if(.., |(given, _)| *given == name);
        taken.map(|(_, file)| file).collect()
    }
}

/// Reads a multipart form as it streams in, parts in any order. Files that were begun are deleted on every way out
/// but success.
pub async fn read_form(
    headers: &HeaderMap,
    body: &mut Incoming,
    rules: &FormRules<'_>,
) -> Result<Form, Refusal> {
    read_form_within(headers, body, rules, &[]).await
}

/// Like [`read_form`], but a file field may have up to `most` files, and all files together may be as large as ten of the largest.
pub async fn read_form_of_several(
    headers: &HeaderMap,
    body: &mut Incoming,
    rules: &FormRules<'_>,
    most: usize,
) -> Result<Form, Refusal> {
    read_parts((headers, body), rules, &[], (most, LARGEST_OF_SEVERAL)).await
}

/// Like [`read_form`], but `smaller` gives some file fields a smaller limit of their own, in bytes.
pub async fn read_form_within(
    headers: &HeaderMap,
    body: &mut Incoming,
    rules: &FormRules<'_>,
    smaller: &[(&str, u64)],
) -> Result<Form, Refusal> {
    // One more than is kept: a part that is not kept may be a file, too.
    let file_count = rules.files.len() as u64 + 1;
    read_parts((headers, body), rules, smaller, (1, file_count)).await
}

/// Reads a form with up to `most` files per field; all files together may be as large as `file_count` of the largest.
async fn read_parts(
    (headers, body): (&HeaderMap, &mut Incoming),
    rules: &FormRules<'_>,
    smaller: &[(&str, u64)],
    (most, file_count): (usize, u64),
) -> Result<Form, Refusal> {
    let boundary = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| multer::parse_boundary(value).ok())
        .ok_or(Refusal::MediaType {
            wanted: "multipart/form-data with a boundary",
        })?;
    let body = PacedBody::new(body, MAX_PART_HEADER_BYTES, rules.times);
    let unsettled = body.unsettled();
    let whole = rules.max_file_bytes * file_count + OVERHEAD_BYTES;
    let constraints = Constraints::new().size_limit(SizeLimit::new().whole_stream(whole));
    let mut parts = Multipart::with_constraints(body, boundary, constraints);
    let mut form = Form {
        most,
        ..Form::default()
    };
    let mut count = 0;
    while let Some(part) = parts.next_field().await.map_err(refuse)? {
        unsettled.settle();
        count += 1;
        if count > MAX_PARTS {
            let message = format!("The form has more than {MAX_PARTS} parts.");
            let mistake = FieldError::new("body", "count", message);
            return Err(Refusal::Invalid(vec![mistake.with("max", MAX_PARTS)]));
        }
        read_part(part, &mut form, (rules, smaller), &unsettled).await?;
    }
    Ok(form)
}

async fn read_part(
    mut part: Field<'_>,
    form: &mut Form,
    (rules, smaller): (&FormRules<'_>, &[(&str, u64)]),
    unsettled: &Unsettled,
) -> Result<(), Refusal> {
    let name = part.name().unwrap_or_default().trim().to_owned();
    if let Some(field) = rules.files.iter().find(|field| **field == name) {
        let called = part.file_name().map(str::to_owned);
        let without_file = called.as_ref().is_some_and(String::is_empty);
        let its_own = smaller.iter().find(|(smaller, _)| smaller == field);
        let max_bytes = its_own.map_or(rules.max_file_bytes, |(_, max_bytes)| *max_bytes);
        let upload = read_file(&mut part, (field, max_bytes), rules.folder, unsettled).await?;
        // A browser sends an empty part without a file name for a file that nobody chose.
        if !(without_file && upload.bytes == 0) {
            form.keep_file(field, upload.named(called.as_deref()));
        }
        return Ok(());
    }
    let base = name.split('[').next().unwrap_or_default();
    if !rules.texts.contains(&base) {
        while part.chunk().await.map_err(refuse)?.is_some() {
            unsettled.settle();
        }
        return Ok(());
    }
    let mut text = Vec::new();
    while let Some(piece) = part.chunk().await.map_err(refuse)? {
        unsettled.settle();
        form.text_bytes += piece.len();
        if text.len() + piece.len() > MAX_TEXT_BYTES || form.text_bytes > MAX_ALL_TEXT_BYTES {
            return Err(too_large(&name, MAX_TEXT_BYTES as u64));
        }
        text.extend_from_slice(&piece);
    }
    form.keep_text(name, text);
    Ok(())
}

async fn read_file(
    part: &mut Field<'_>,
    (field, max_bytes): (&str, u64),
    folder: &Path,
    unsettled: &Unsettled,
) -> Result<Upload, Refusal> {
    let mut writer = UploadWriter::create(folder)?;
    while let Some(piece) = part.chunk().await.map_err(refuse)? {
        unsettled.settle();
        let bytes = writer.write(&piece).await?;
        if bytes > max_bytes {
            return Err(too_large(field, max_bytes));
        }
    }
    Ok(writer.finish().await?)
}

impl Form {
    fn keep_file(&mut self, field: &'static str, upload: Upload) {
        let given = self.files.iter().filter(|(given, _)| *given == field);
        let given = given.count();
        if given > 0 && given >= self.most {
            let mistake = if self.most > 1 {
                let message = format!("`{field}` is given more than {} times.", self.most);
                FieldError::new(field, "count", message).with("max", self.most)
            } else {
                let message = format!("`{field}` is given twice.");
                FieldError::new(field, "distinct", message)
            };
            if !self.mistakes.contains(&mistake) {
                self.mistakes.push(mistake);
            }
            return;
        }
        self.files.push((field, upload));
    }

    fn keep_text(&mut self, name: String, text: Vec<u8>) {
        // A part without a name belongs to no field.
        if name.is_empty() {
            return;
        }
        if text.contains(&0) {
            self.mistakes.push(nul_in(&name));
        } else if let Ok(text) = String::from_utf8(text) {
            self.fields.push((name, text));
        } else {
            let message = format!("`{name}` is not UTF-8 text.");
            self.mistakes.push(FieldError::new(name, "string", message));
        }
    }
}

fn too_large(field: &str, max_bytes: u64) -> Refusal {
    let message = format!("`{field}` is larger than {max_bytes} bytes.");
    Refusal::too_large(field, max_bytes, message)
}

/// What a client is told when its form cannot be read.
#[allow(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn refuse(error: multer::Error) -> Refusal {
    let fault = match &error {
        multer::Error::StreamReadFailed(cause) => cause.downcast_ref::<BodyFault>().copied(),
        multer::Error::StreamSizeExceeded { limit } => return too_large("body", *limit),
        _ => None,
    };
    match fault {
        Some(BodyFault::TooSlow) => Refusal::TooSlow,
        Some(BodyFault::HeaderTooLong) => {
            let message = "The header of a part of the form is too long, or no part begins with the boundary that `Content-Type` names.";
            Refusal::too_large("body", MAX_PART_HEADER_BYTES, message.to_owned())
        }
        Some(BodyFault::Broken) | None => Refusal::field(
            "body",
            "multipart",
            "The form is not complete, or not valid multipart/form-data.",
        ),
    }
}
