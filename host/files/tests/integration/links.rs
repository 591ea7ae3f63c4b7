//! Links to files of a bucket, and what is asked of the store besides.

use std::time::Duration;

use vocalhost_files::{Bucket, Download, Encryption, FileStore, FilesError};
use vocalhost_testing::s3::{S3Server, SECRET_KEY};

use super::{bucket, content, environment, in_bucket, publish};

const DOWNLOAD: Download<'static> = Download {
    name: "conversion-1.wav",
    media_type: "audio/wav",
};

async fn link(files: &FileStore, key: &str) -> String {
    let link = files.link(key, &DOWNLOAD, Duration::from_mins(10)).await;
    link.expect("it can be signed").expect("it is a bucket")
}

/// What a browser gets: status, headers, body.
async fn got(url: &str, range: Option<&str>) -> (u16, reqwest::header::HeaderMap, Vec<u8>) {
    let mut request = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only(std::iter::empty())
        .build()
        .expect("a client can be made")
        .get(url);
    if let Some(range) = range {
        request = request.header("range", range);
    }
    let answer = request.send().await.expect("the store answers");
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    let body = answer.bytes().await.expect("the body arrives");
    (status, headers, body.to_vec())
}

#[tokio::test]
async fn a_link_gives_the_file_with_its_name_and_type() {
    let (server, files) = in_bucket();
    let content = content(100_000);
    let key = "results/1/token/output.wav";
    publish(&files, &content, key)
        .await
        .expect("it is published");
    let url = link(&files, key).await;
    assert!(url.starts_with(&format!(
        "{}/sounds/of/vocalhost/results/1/token/output.wav?",
        server.endpoint()
    )));
    let (status, headers, body) = got(&url, None).await;
    assert_eq!((status, body == content), (200, true));
    assert_eq!(headers["content-type"], "audio/wav");
    assert_eq!(
        headers["content-disposition"],
        "attachment; filename=\"conversion-1.wav\""
    );
    let (status, headers, body) = got(&url, Some("bytes=10-19")).await;
    assert_eq!((status, body), (206, content[10..20].to_vec()));
    assert_eq!(headers["content-range"], "bytes 10-19/100000");
}

#[tokio::test]
async fn an_altered_link_is_refused_by_the_store() {
    let (_server, files) = in_bucket();
    for key in ["results/1/t/output.wav", "results/2/t/output.wav"] {
        publish(&files, b"sound", key)
            .await
            .expect("it is published");
    }
    let url = link(&files, "results/1/t/output.wav").await;
    assert_eq!(got(&url, None).await.0, 200);
    let (_, signature) = url.rsplit_once("X-Amz-Signature=").expect("it is signed");
    let other = if signature.starts_with('0') { "1" } else { "0" };
    for altered in [
        url.replace("results/1/", "results/2/"),
        url.replace("conversion-1.wav", "conversion-2.exe"),
        url.replace("X-Amz-Expires=600", "X-Amz-Expires=6000"),
        url.replace(signature, &format!("{other}{}", &signature[1..])),
        url.split('?').next().expect("a path").to_owned(),
    ] {
        assert_ne!(altered, url);
        assert_eq!(got(&altered, None).await.0, 403, "{altered}");
    }
    assert!(!url.contains(SECRET_KEY));
}

#[tokio::test]
async fn an_expired_link_is_refused_by_the_store() {
    let (_server, files) = in_bucket();
    publish(&files, b"sound", "results/1/t/a.wav")
        .await
        .expect("it is published");
    let link = files.link("results/1/t/a.wav", &DOWNLOAD, Duration::from_secs(1));
    let url = link
        .await
        .expect("it can be signed")
        .expect("it is a bucket");
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while got(&url, None).await.0 != 403 {
        assert!(std::time::Instant::now() < end, "the link never expires");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

#[tokio::test]
async fn links_name_the_address_that_clients_know() {
    let server = S3Server::start();
    let public = Bucket {
        public_endpoint: Some("https://sounds.example".to_owned()),
        ..bucket(&server)
    };
    let open =
        |bucket: &Bucket| FileStore::in_bucket(bucket, &environment).expect("clients can be made");
    let files = open(&public);
    publish(&files, b"sound", "inputs/a.wav")
        .await
        .expect("it is published");
    let path = link(&files, "inputs/a.wav").await;
    assert!(
        path.starts_with("https://sounds.example/sounds/of/vocalhost/inputs/a.wav?"),
        "{path}"
    );
    let hosted = open(&Bucket {
        path_style: false,
        ..public
    });
    let host = link(&hosted, "inputs/a.wav").await;
    assert!(
        host.starts_with("https://sounds.sounds.example/of/vocalhost/inputs/a.wav?"),
        "{host}"
    );
}

#[tokio::test]
async fn a_folder_has_no_links() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = FileStore::open(folder.path()).expect("an empty folder opens");
    let link = files
        .link("inputs/a.wav", &DOWNLOAD, Duration::from_mins(10))
        .await;
    assert_eq!(link.expect("it answers"), None);
}

#[tokio::test]
async fn encryption_and_a_checksum_are_asked_for() {
    let server = S3Server::start();
    let asking = Bucket {
        encryption: Encryption::named("aws:kms"),
        kms_key: Some("key-1".to_owned()),
        ..bucket(&server)
    };
    let files = FileStore::in_bucket(&asking, &environment).expect("clients can be made");
    publish(&files, b"small", "inputs/a.wav")
        .await
        .expect("it is published");
    publish(&files, &content(9 << 20), "inputs/b.wav")
        .await
        .expect("it is published");
    let seen = server.seen();
    let of = |method: &str, path: &str, query: &str| {
        let mut of = seen
            .iter()
            .filter(|asked| asked.method == method && asked.path.ends_with(path));
        let asked = of.find(|asked| asked.query.contains(query));
        asked
            .unwrap_or_else(|| panic!("{method} {path}?{query} was not asked"))
            .headers
            .clone()
    };
    for headers in [of("PUT", "a.wav", ""), of("POST", "b.wav", "uploads")] {
        assert_eq!(headers["x-amz-server-side-encryption"], "aws:kms");
        assert_eq!(
            headers["x-amz-server-side-encryption-aws-kms-key-id"],
            "key-1"
        );
    }
    for headers in [of("PUT", "a.wav", ""), of("PUT", "b.wav", "partNumber=1")] {
        assert!(headers.contains_key("x-amz-checksum-sha256"), "{headers:?}");
    }
    let plain = FileStore::in_bucket(
        &Bucket {
            checksum: None,
            ..bucket(&server)
        },
        &environment,
    );
    let plain = plain.expect("clients can be made");
    publish(&plain, b"small", "inputs/c.wav")
        .await
        .expect("it is published");
    let seen = server.seen();
    let last = seen.last().expect("it was asked");
    assert!(last.path.ends_with("c.wav"));
    assert!(!last.headers.contains_key("x-amz-server-side-encryption"));
    assert!(!last.headers.contains_key("x-amz-checksum-sha256"));
}

#[tokio::test]
async fn credentials_come_from_a_file_that_may_change() {
    let server = S3Server::start();
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let write = |secret: &str| {
        let text = format!(
            "[default]\naws_access_key_id = {}\naws_secret_access_key = {secret}\n",
            S3Server::variables()[0].1
        );
        std::fs::write(file.path(), text).expect("written");
    };
    write("another");
    let named = Bucket {
        credentials_file: Some(file.path().to_owned()),
        ..bucket(&server)
    };
    let files = FileStore::in_bucket(&named, &|_| None).expect("clients can be made");
    let error = files.check("a").await.expect_err("the secret is wrong");
    assert!(
        error
            .to_string()
            .contains("the secret of the credentials is not the right one"),
        "{error}"
    );
    write(SECRET_KEY);
    files.check("a").await.expect("the secret is right");
}

#[tokio::test]
async fn a_bucket_that_cannot_be_used_is_told_in_a_sentence() {
    let server = S3Server::start();
    let nobody = Bucket {
        endpoint: Some("http://127.0.0.1:9".to_owned()),
        ..bucket(&server)
    };
    let none = Bucket {
        address: "s3://another".parse().expect("an address"),
        ..bucket(&server)
    };
    for (bucket, sentence) in [
        (
            nobody,
            "cannot use s3://sounds/of/vocalhost at http://127.0.0.1:9: ",
        ),
        (none, "there is no such bucket"),
    ] {
        let files = FileStore::in_bucket(&bucket, &environment).expect("clients can be made");
        let error = files.check("a").await.expect_err("it cannot be used");
        assert!(matches!(error, FilesError::Unusable { .. }));
        assert!(error.to_string().contains(sentence), "{error}");
        assert!(!files.answers("a").await);
        assert!(files.is_failing());
    }
    let stranger = |name: &str| environment(name).map(|value| value.to_lowercase());
    let files = FileStore::in_bucket(&bucket(&server), &stranger).expect("clients can be made");
    let error = files.check("a").await.expect_err("nobody knows them");
    assert!(
        error.to_string().starts_with("cannot use s3://sounds"),
        "{error}"
    );
}
