package example

import "testing"

func TestReverse(t *testing.T) {
	if got := Reverse("héj"); got != "jéh" {
		t.Errorf("Reverse(%q) = %q, want %q", "héj", got, "jéh")
	}
}
