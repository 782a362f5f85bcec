/// Whether a text reads the same from both ends; case and what is no letter do not count.
pub fn is_palindrome(text: &str) -> bool {
    let letters: Vec<char> = text
        .chars()
        .filter(|c| c.is_alphanumeric())
        .collect();
    letters.iter().eq(letters.iter().rev())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain() {
        assert!(is_palindrome("otto"));
    }

    #[test]
    fn sentence() {
        assert!(is_palindrome("A man, a plan, a canal: Panama"));
    }
}
