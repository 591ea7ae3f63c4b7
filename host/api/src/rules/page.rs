use hyper::StatusCode;
use hyper::header::{HeaderValue, LINK};
use serde::Serialize;
use serde_json::{Value, json};

use super::call::Call;
use super::mistakes::no_whole_number;
use super::problem::{FieldError, Problem, refuse};
use vocalhost_http::query::Query;
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::Page;

/// How large the pages of a list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRules {
    /// The size of a page when the request does not say.
    pub default_per_page: u64,
    /// Requests for more get this many.
    pub max_per_page: u64,
}

/// Lists of jobs.
pub const JOB_PAGES: PageRules = PageRules {
    default_per_page: 10,
    max_per_page: 100,
};

/// Lists of blends, whose records are small.
pub const BLEND_PAGES: PageRules = PageRules {
    default_per_page: 50,
    max_per_page: 100,
};

/// Lists of voice models and effects, which are small records that clients like to have in one go.
pub const CATALOG_PAGES: PageRules = PageRules {
    default_per_page: 10,
    max_per_page: 1_000,
};

/// No list is longer; keeps `page * perPage` within the database's integers.
const LAST_PAGE_ASKED: u64 = 1_000_000_000_000;

/// Which page of a list was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// Newest first.
    pub descending: bool,
    /// Counts from 1.
    pub page: u64,
    /// Rows on a page.
    pub per_page: u64,
}

impl PageRequest {
    /// The page of a list that takes no other parameters.
    pub fn of(call: &Call, rules: &PageRules) -> Result<Self, Problem> {
        let mut mistakes = Vec::new();
        let asked = Self::parse(&call.query, rules, &mut mistakes);
        refuse(mistakes)?;
        Ok(asked)
    }

    /// Reads `order`, `page` and `perPage`; what is not valid is added to `mistakes`.
    pub fn parse(query: &Query, rules: &PageRules, mistakes: &mut Vec<FieldError>) -> Self {
        let descending = match query.get("order") {
            None | Some("asc") => false,
            Some("desc") => true,
            Some(_) => {
                let mistake = FieldError::new("order", "enum", "`order` must be `asc` or `desc`.");
                mistakes.push(mistake.with("choices", json!(["asc", "desc"])));
                false
            }
        };
        let page = count(query, "page", mistakes).unwrap_or(1);
        if page > LAST_PAGE_ASKED {
            let mistake = FieldError::new("page", "range", "`page` is too large.");
            mistakes.push(mistake.with("max", LAST_PAGE_ASKED));
        }
        let per_page = count(query, "perPage", mistakes).unwrap_or(rules.default_per_page);
        Self {
            descending,
            page: page.min(LAST_PAGE_ASKED),
            per_page: per_page.min(rules.max_per_page),
        }
    }

    /// The rows of this page, of a list that is in memory already.
    #[must_use]
    pub fn cut<'a, T>(&self, rows: &'a [T]) -> Vec<&'a T> {
        let skipped = usize::try_from((self.page - 1).saturating_mul(self.per_page));
        let skipped = skipped.unwrap_or(usize::MAX);
        let taken = self.per_page as usize;
        if self.descending {
            rows.iter().rev().skip(skipped).take(taken).collect()
        } else {
            rows.iter().skip(skipped).take(taken).collect()
        }
    }
}

/// A whole number from 1; one that is too long to be read is as good as the largest.
fn count(query: &Query, name: &str, mistakes: &mut Vec<FieldError>) -> Option<u64> {
    let text = query.get(name)?;
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits {
        mistakes.push(no_whole_number(name));
        return None;
    }
    let number = text.parse().unwrap_or(u64::MAX);
    if number == 0 {
        let message = format!("`{name}` must be at least 1.");
        mistakes.push(FieldError::new(name, "range", message).with("min", 1));
        return None;
    }
    Some(number)
}

/// Where a page stands in its list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    total: u64,
    per_page: u64,
    current_page: u64,
    last_page: u64,
    first_page: u64,
    first_page_url: String,
    last_page_url: String,
    next_page_url: Option<String>,
    previous_page_url: Option<String>,
}

impl Meta {
    /// The place of the page `asked` in a list of `total` rows.
    #[must_use]
    pub fn new(asked: &PageRequest, total: u64) -> Self {
        let url = |page: u64| format!("/?page={page}");
        let last_page = total.div_ceil(asked.per_page).max(1);
        Self {
            total,
            per_page: asked.per_page,
            current_page: asked.page,
            last_page,
            first_page: 1,
            first_page_url: url(1),
            last_page_url: url(last_page),
            next_page_url: (asked.page < last_page).then(|| url(asked.page + 1)),
            previous_page_url: (asked.page > 1).then(|| url(asked.page - 1)),
        }
    }

    /// The `Link` header (RFC 8288) with absolute links: `address` is that of the list, without a query.
    fn link(&self, address: &str, query: &Query) -> Option<HeaderValue> {
        let previous = (self.current_page > 1).then(|| self.current_page - 1);
        let next = (self.current_page < self.last_page).then(|| self.current_page + 1);
        let pages = [
            ("first", Some(1)),
            ("prev", previous),
            ("next", next),
            ("last", Some(self.last_page)),
        ];
        let links: Vec<String> = pages
            .into_iter()
            .filter_map(|(name, page)| {
                let query = query.for_page(page?);
                Some(format!("<{address}?{query}>; rel=\"{name}\""))
            })
            .collect();
        HeaderValue::from_str(&links.join(", ")).ok()
    }
}

/// The answer with a page of the store's rows.
pub fn page_reply<T>(
    call: &Call,
    asked: &PageRequest,
    found: &Page<T>,
    record: impl Fn(&T) -> Value,
) -> Reply {
    let data: Vec<Value> = found.rows.iter().map(record).collect();
    list_reply(call, asked, found.total, &data)
}

/// The answer with one page of a list of `total` records.
#[must_use]
pub fn list_reply(call: &Call, asked: &PageRequest, total: u64, data: &[Value]) -> Reply {
    let meta = Meta::new(asked, total);
    let mut reply = reply::json(StatusCode::OK, &json!({ "data": data, "meta": meta }));
    if let Some(link) = meta.link(&call.address, &call.query) {
        reply.headers_mut().insert(LINK, link);
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> (PageRequest, Vec<FieldError>) {
        let mut mistakes = Vec::new();
        let asked = PageRequest::parse(&Query::parse(Some(query)), &JOB_PAGES, &mut mistakes);
        (asked, mistakes)
    }

    #[test]
    fn the_defaults_are_ascending_page_1_of_10() {
        let (asked, mistakes) = parse("unknown=1");
        assert_eq!(
            (asked.descending, asked.page, asked.per_page),
            (false, 1, 10)
        );
        assert!(mistakes.is_empty());
    }

    #[test]
    fn a_page_size_over_the_maximum_is_clamped() {
        for size in ["101", "99999999999999999999999999"] {
            let (asked, mistakes) = parse(&format!("perPage={size}"));
            assert_eq!(asked.per_page, 100);
            assert!(mistakes.is_empty());
        }
    }

    #[test]
    fn what_is_not_valid_is_named() {
        for (query, field, rule) in [
            ("order=up", "order", "enum"),
            ("order=ASC", "order", "enum"),
            ("page=0", "page", "range"),
            ("page=-1", "page", "number"),
            ("page=%2B1", "page", "number"),
            ("page=", "page", "number"),
            ("page=1.5", "page", "number"),
            ("page=99999999999999999999", "page", "range"),
            ("perPage=0", "perPage", "range"),
            ("perPage=ten", "perPage", "number"),
        ] {
            let (_, mistakes) = parse(query);
            let named: Vec<_> = mistakes
                .iter()
                .map(|mistake| (mistake.field.as_str(), mistake.rule))
                .collect();
            assert_eq!(named, [(field, rule)], "{query}");
        }
        assert_eq!(parse("order=x&page=x&perPage=x").1.len(), 3);
    }

    #[test]
    fn the_meta_of_every_kind_of_page() {
        let meta = |page, total| {
            let asked = PageRequest {
                descending: false,
                page,
                per_page: 10,
            };
            let meta = Meta::new(&asked, total);
            (meta.last_page, meta.previous_page_url, meta.next_page_url)
        };
        let url = |page: u64| Some(format!("/?page={page}"));
        assert_eq!(meta(1, 0), (1, None, None));
        assert_eq!(meta(1, 10), (1, None, None));
        assert_eq!(meta(1, 11), (2, None, url(2)));
        assert_eq!(meta(2, 21), (3, url(1), url(3)));
        assert_eq!(meta(3, 21), (3, url(2), None));
        assert_eq!(meta(9, 21), (3, url(8), None));
    }

    #[test]
    fn links_are_absolute_and_keep_the_query() {
        let query = Query::parse(Some("page=2&order=desc"));
        let (asked, _) = parse("page=2");
        let link = Meta::new(&asked, 25).link("https://a.example/api/v1/x", &query);
        let link = link.unwrap().to_str().unwrap().to_owned();
        assert_eq!(
            link,
            "<https://a.example/api/v1/x?order=desc&page=1>; rel=\"first\", \
             <https://a.example/api/v1/x?order=desc&page=1>; rel=\"prev\", \
             <https://a.example/api/v1/x?order=desc&page=3>; rel=\"next\", \
             <https://a.example/api/v1/x?order=desc&page=3>; rel=\"last\""
        );
    }

    #[test]
    fn a_list_in_memory_is_cut_in_both_orders() {
        let rows = [1, 2, 3, 4, 5];
        let cut = |descending, page| {
            let asked = PageRequest {
                descending,
                page,
                per_page: 2,
            };
            asked.cut(&rows).into_iter().copied().collect::<Vec<_>>()
        };
        assert_eq!(cut(false, 2), [3, 4]);
        assert_eq!(cut(true, 1), [5, 4]);
        assert!(cut(false, 9).is_empty());
    }
}
