//! Parts of a text under a budget: the lines that weigh least go first, and what went is told.

/// One heading and its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Without the marks before it.
    pub(crate) title: String,
    /// Stands under the heading when there are no lines.
    pub(crate) empty: &'static str,
    /// The lines, in their order.
    pub(crate) lines: Vec<Line>,
}

/// One line of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// With its bullet, without its end.
    pub(crate) text: String,
    /// The lightest goes first.
    pub(crate) weight: usize,
}

impl Part {
    /// A part.
    pub(crate) fn new(title: &str, empty: &'static str, lines: Vec<Line>) -> Self {
        Self {
            title: title.to_owned(),
            empty,
            lines,
        }
    }
}

/// `head`, then each part under its heading, at most `bytes` in all as long as `head` and the headings leave room.
/// No line is cut; a last line says how many were left out of which part.
pub(crate) fn fit(head: &str, parts: &[Part], bytes: usize) -> String {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (p, part) in parts.iter().enumerate() {
        order.extend((0..part.lines.len()).map(|l| (p, l)));
    }
    // Of two that weigh the same, the later one goes first.
    order.sort_by_key(|&(p, l)| (parts[p].lines[l].weight, usize::MAX - p, usize::MAX - l));
    let mut gone = Vec::new();
    let mut order = order.into_iter();
    loop {
        let text = render(head, parts, &gone);
        if text.len() <= bytes {
            return text;
        }
        match order.next() {
            Some(next) => gone.push(next),
            None => return text,
        }
    }
}

fn render(head: &str, parts: &[Part], gone: &[(usize, usize)]) -> String {
    let mut text = head.to_owned();
    let mut left_out = Vec::new();
    for (p, part) in parts.iter().enumerate() {
        text += &format!("\n## {}\n", part.title);
        let mut missing = 0;
        for (l, line) in part.lines.iter().enumerate() {
            if gone.contains(&(p, l)) {
                missing += 1;
            } else {
                text += &line.text;
                text.push('\n');
            }
        }
        if part.lines.is_empty() {
            text += part.empty;
            text.push('\n');
        }
        if missing > 0 {
            left_out.push(format!("{missing} of {}", part.title));
        }
    }
    if !left_out.is_empty() {
        text += &format!("\nleft out for length: {}\n", left_out.join(", "));
    }
    text
}
