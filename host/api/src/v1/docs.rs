use hyper::StatusCode;
use serde_json::{Value, json};

use super::shapes::server as shapes;
use crate::rules::problem::Problem;
use crate::rules::route::{Class, Operation, Route};
use vocalhost_http::reply::{self, Reply};

/// The documentation that fits this version, page by page.
macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        /// Name and text of every page.
        pub const PAGES: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../../docs/", $name)))),*
        ];
    };
}

pages!(
    "start.md",
    "concepts.md",
    "recipes.md",
    "api.md",
    "clients.md",
    "importing.md",
    "effects.md",
    "responses.md",
    "plugins.md",
    "effect-check.md",
    "models.md",
    "families.md",
    "graphs.md",
    "operations.md",
    "scaling.md",
    "comparison.md",
    "installing.md",
    "live.md",
    "training.md",
    "sandbox.md",
);

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/docs",
        operations: &[Operation::get(
            "listDocs",
            "The pages of the documentation",
            shapes::all_docs,
        )
        .counts_as(Class::Uncounted)
        .open(|_, ask| Box::pin(async move { Ok(list(&ask.call.root)) }))],
    },
    Route {
        path: "/docs/{page}",
        operations: &[
            Operation::get("getDocs", "A page of the documentation", shapes::docs)
                .counts_as(Class::Uncounted)
                .open(|_, ask| Box::pin(async move { show(ask.part("page")) })),
        ],
    },
];

/// `GET /docs`: what there is to read, and where.
fn list(root: &str) -> Reply {
    let pages = PAGES.iter().map(|(name, text)| {
        let title = text.lines().find_map(|line| line.strip_prefix("# "));
        json!({ "name": name, "title": title.unwrap_or(name), "url": format!("{root}/docs/{name}") })
    });
    let pages: Vec<Value> = pages.collect();
    reply::json(StatusCode::OK, &json!({ "data": pages }))
}

/// `GET /docs/{page}`: the page as it was written. As plain text, which every browser shows.
fn show(name: &str) -> Result<Reply, Problem> {
    let found = PAGES.iter().find(|(page, _)| *page == name);
    let (_, text) = found.ok_or(Problem::RowNotFound)?;
    Ok(reply::text(StatusCode::OK, (*text).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_another_one_links_to_is_there() {
        for (page, text) in PAGES {
            let links = text.split("](").skip(1).filter_map(|rest| {
                let target = rest.split([')', '#']).next()?;
                let ending = std::path::Path::new(target).extension();
                let is_page = ending == Some("md".as_ref()) && !target.contains('/');
                is_page.then_some(target)
            });
            for link in links {
                let found = PAGES.iter().any(|(name, _)| *name == link);
                assert!(found, "{page} links to {link}");
            }
        }
    }
}
