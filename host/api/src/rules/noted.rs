use vocalhost_http::reply::Reply;

/// Marks an answer whose deed was noted in the transaction that did it, or is not worth a line.
#[derive(Debug, Clone, Copy)]
struct Noted;

/// The answer, with the remark that the audit log has the deed already.
#[must_use]
pub fn noted(mut reply: Reply) -> Reply {
    reply.extensions_mut().insert(Noted);
    reply
}

/// The answer, with the remark that there is nothing to note: one of many steps whose beginning and end are noted.
#[must_use]
pub fn not_worth_noting(reply: Reply) -> Reply {
    noted(reply)
}

/// Whether the audit log has the deed already, or needs no line of it.
#[must_use]
pub fn is_noted(reply: &Reply) -> bool {
    reply.extensions().get::<Noted>().is_some()
}
