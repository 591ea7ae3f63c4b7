use reqwest::Method;

use super::harness::{Server, header, problem, shared};

/// The signed link to a voice's demo recording.
fn demo(server: &Server) -> String {
    let voice = &server.get("/voice-models")["data"][0];
    voice["demoUrl"]
        .as_str()
        .expect("the voice has a demo")
        .to_owned()
}

#[test]
fn a_signed_link_needs_no_key_and_repeats_within_the_hour() {
    let server = shared();
    let url = demo(&server);
    assert_eq!(url, demo(&server));
    let extension = url.rsplit('.').next().expect("an extension").to_owned();
    let answer = server
        .anonymous(Method::GET, &url)
        .send()
        .expect("the server answers");
    assert_eq!(answer.status(), 200);
    let headers = answer.headers().clone();
    assert!(
        header(&headers, "content-type").starts_with("audio/"),
        "{extension}"
    );
    assert_eq!(header(&headers, "cache-control"), "private");
    assert_eq!(header(&headers, "accept-ranges"), "bytes");
    assert!(header(&headers, "content-disposition").ends_with(&format!(".{extension}\"")));
    let etag = header(&headers, "etag");
    assert!(etag.starts_with('"') && etag.len() == 66, "{etag}");
    let body = answer.bytes().expect("the body arrives");
    assert_eq!(header(&headers, "content-length"), body.len().to_string());
}

#[test]
fn an_altered_link_and_an_expired_one_are_refused() {
    let server = shared();
    let url = demo(&server);
    let (start, rest) = url.split_once("/files/").expect("a link to a file");
    let (_, signed) = rest.split_once('/').expect("an expiry");
    for altered in [
        url.replace("/demo.", "/picture."),
        format!("{start}/files/9999999999/{signed}"),
        format!("{start}/files/x/{signed}"),
    ] {
        let answer = server
            .anonymous(Method::GET, &altered)
            .send()
            .expect("the server answers");
        let (status, code, _) = problem(answer);
        assert_eq!((status, code.as_str()), (403, "E_URL_INVALID"), "{altered}");
    }
    let target = rest.splitn(3, '/').nth(2).expect("a target");
    let key = std::fs::read(server.data().join("url-signing.key")).expect("the key is kept");
    let signer = vocalhost_http::signing::UrlSigner::new(&key);
    let expired = format!("{start}/files/{}", signer.sign(target, 1_000));
    let answer = server
        .anonymous(Method::GET, &expired)
        .send()
        .expect("the server answers");
    let (status, code, _) = problem(answer);
    assert_eq!((status, code.as_str()), (403, "E_URL_EXPIRED"));
    let gone = format!(
        "{start}/files/{}",
        signer.sign("voice-conversions/999999/output.wav", 9_999_999_999)
    );
    let answer = server
        .anonymous(Method::GET, &gone)
        .send()
        .expect("the server answers");
    assert_eq!(problem(answer).0, 404);
}

#[test]
fn parts_of_a_file_are_served() {
    let server = shared();
    let url = demo(&server);
    let whole = server
        .anonymous(Method::GET, &url)
        .send()
        .expect("the server answers");
    let etag = header(whole.headers(), "etag");
    let whole = whole.bytes().expect("the body arrives");
    let size = whole.len();
    let get = |name: &'static str, value: &str| {
        let range = server
            .anonymous(Method::GET, &url)
            .header("range", "bytes=10-19");
        range
            .header(name, value)
            .send()
            .expect("the server answers")
    };
    let part = get("if-range", &etag);
    assert_eq!(part.status(), 206);
    assert_eq!(
        header(part.headers(), "content-range"),
        format!("bytes 10-19/{size}")
    );
    assert_eq!(part.bytes().expect("the body arrives"), whole[10..20]);
    let changed = get("if-range", "\"another\"");
    assert_eq!(changed.status(), 200);
    let known = get("if-none-match", &etag);
    assert_eq!(known.status(), 304);
    assert_eq!(header(known.headers(), "etag"), etag);
    assert!(known.bytes().expect("nothing arrives").is_empty());
    let head = server.anonymous(Method::HEAD, &url);
    let head = head.header("if-none-match", &etag).send();
    let head = head.expect("the server answers");
    assert_eq!(head.status(), 304);
    assert!(head.headers().get("content-length").is_none());

    let suffix = server
        .anonymous(Method::GET, &url)
        .header("range", "bytes=-5")
        .send();
    let suffix = suffix
        .expect("the server answers")
        .bytes()
        .expect("the body arrives");
    assert_eq!(suffix, whole[size - 5..]);
    let outside = server
        .anonymous(Method::GET, &url)
        .header("range", format!("bytes={size}-"))
        .send();
    let outside = outside.expect("the server answers");
    assert_eq!(
        header(outside.headers(), "content-range"),
        format!("bytes */{size}")
    );
    assert_eq!(problem(outside).0, 416);
    let head = server
        .anonymous(Method::HEAD, &url)
        .send()
        .expect("the server answers");
    assert_eq!(header(head.headers(), "content-length"), size.to_string());
}
