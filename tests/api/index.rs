use reqwest::Method;
use reqwest::blocking::{Client, Response};
use serde_json::Value;
use vocalhost_testing::poll::PATIENCE;

use super::harness::{Server, header, problem, shared};

/// What a browser says that it would like.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

fn anonymous(server: &Server, url: &str, accept: &str) -> Response {
    let request = server.anonymous(Method::GET, url).header("accept", accept);
    request.send().expect("the server answers")
}

#[test]
fn whoever_comes_without_a_path_is_told_where_everything_is() {
    let server = shared();
    let front = format!("http://{}/", server.address);
    let root = server.url("");
    for url in [front, root.clone(), format!("{root}/")] {
        let answer = anonymous(&server, &url, "*/*");
        assert_eq!(answer.status(), 200, "{url}");
        assert!(header(answer.headers(), "vary").contains("Accept"));
        let index: Value = answer.json().expect("JSON");
        assert_eq!(index["api"], root, "{url}");
        let linked = |name: &str| {
            let url = index[name].as_str().expect("a link");
            let answer = anonymous(&server, url, "*/*");
            assert_eq!(answer.status(), 200, "{url}");
            answer.text().expect("text")
        };
        assert!(linked("openapi").starts_with('{'));
        assert!(linked("documentation").starts_with("# Using the API"));
    }
}

#[test]
fn browsers_get_a_page_that_can_do_nothing_but_link() {
    let server = shared();
    let answer = anonymous(&server, &server.url(""), BROWSER);
    assert_eq!(answer.status(), 200);
    let headers = answer.headers().clone();
    assert_eq!(header(&headers, "content-type"), "text/html; charset=utf-8");
    let policy = header(&headers, "content-security-policy");
    assert_eq!(policy, "default-src 'none'");
    let page = answer.text().expect("text");
    for path in ["/openapi.json", "/docs/api.md"] {
        let link = format!("<a href=\"{}\">", server.url(path));
        assert!(page.contains(&link), "{page}");
    }
}

#[test]
fn every_root_names_itself_and_the_front_the_first() {
    let server = Server::start(&["--api-roots", "/api/v1,/api/v1/other"]);
    let at = |path: &str| format!("http://{}{path}", server.address);
    for (path, root) in [
        ("/", "/api/v1"),
        ("/api/v1", "/api/v1"),
        ("/api/v1/other", "/api/v1/other"),
    ] {
        // Not through the suite's client: the description that it knows has other roots.
        let client = Client::builder().no_proxy().timeout(PATIENCE).build();
        let client = client.expect("a client");
        let text = client.get(at(path)).send().and_then(Response::text);
        let index: Value = serde_json::from_str(&text.expect("text")).expect("JSON");
        assert_eq!(index["api"], at(root), "{path}");
    }
}

#[test]
fn there_is_nothing_else_at_the_front_and_in_the_documentation() {
    let server = shared();
    let list = anonymous(&server, &server.url("/docs"), "*/*");
    let list: serde_json::Value = list.json().expect("it is JSON");
    for page in list["data"].as_array().expect("a list") {
        let link = page["url"].as_str().expect("a link");
        let text = anonymous(&server, link, "*/*").text().expect("it is text");
        let title = format!("# {}", page["title"].as_str().expect("a title"));
        assert!(text.contains(&title), "{page}");
    }
    let page = server.url("/docs/secrets.md");
    let (status, code, _) = problem(anonymous(&server, &page, "*/*"));
    assert_eq!((status, code.as_str()), (404, "E_ROW_NOT_FOUND"));
    let front = format!("http://{}/", server.address);
    let posted = server.anonymous(Method::POST, &front).send();
    let posted = posted.expect("the server answers");
    assert_eq!(header(posted.headers(), "allow"), "GET, HEAD, OPTIONS");
    assert_eq!(problem(posted).0, 405);
}
