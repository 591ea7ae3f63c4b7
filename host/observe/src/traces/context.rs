/// Lengths of the parts of `traceparent` in version `00`: version, trace, parent, flags.
const PARTS: [usize; 4] = [2, 32, 16, 2];

/// The lowest bit of the flags: whoever began the trace records it.
const SAMPLED: u8 = 1;

/// Where in a trace something happens (W3C Trace Context).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace, 32 hex digits.
    pub trace_id: String,
    /// The span, 16 hex digits.
    pub span_id: String,
    /// Whether the trace is recorded.
    pub sampled: bool,
}

impl TraceContext {
    /// Reads the header `traceparent` in version `00`; any other is as good as none, as the recommendation has it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.trim().split('-').collect();
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let shaped = parts.len() == PARTS.len()
            && parts
                .iter()
                .zip(PARTS)
                .all(|(part, length)| part.len() == length && part.bytes().all(hex));
        let is_something = |part: &str| part.bytes().any(|byte| byte != b'0');
        if !shaped || parts[0] != "00" || !is_something(parts[1]) || !is_something(parts[2]) {
            return None;
        }
        Some(Self {
            trace_id: parts[1].to_owned(),
            span_id: parts[2].to_owned(),
            sampled: u8::from_str_radix(parts[3], 16).ok()? & SAMPLED != 0,
        })
    }

    /// As the header has it.
    #[must_use]
    pub fn header(&self) -> String {
        let flags = if self.sampled { SAMPLED } else { 0 };
        format!("00-{}-{}-{flags:02x}", self.trace_id, self.span_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_recommendation_allows_is_read() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        for flags in ["00", "01"] {
            let header = format!("00-{trace}-{span}-{flags}");
            let context = TraceContext::parse(&header).expect("it is right");
            assert_eq!(context.sampled, flags == "01");
            assert_eq!(context.header(), header);
        }
        for wrong in [
            String::new(),
            format!("01-{trace}-{span}-01"),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-more"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}x-{span}-01"),
        ] {
            assert_eq!(TraceContext::parse(&wrong), None, "{wrong}");
        }
    }
}
