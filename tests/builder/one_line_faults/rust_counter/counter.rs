use std::collections::HashMap;

/// How often each word comes, without regard to case.
pub fn count_words(text: &str) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in text.split_whitespace() {
        *counts.entry(word.to_string()).or_insert(0) += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once() {
        assert_eq!(count_words("a b")["a"], 1);
    }

    #[test]
    fn without_case() {
        assert_eq!(count_words("The the THE")["the"], 3);
    }
}
