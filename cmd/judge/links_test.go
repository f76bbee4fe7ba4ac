package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	mdFence   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
)

// TestLinks: every link between the pages leads to a file and a heading, every page of docs stands in the
// contents of the site, and the contents name only pages that exist.
func TestLinks(t *testing.T) {
	root := filepath.Join("..", "..")
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "fixtures/*.md", "examples/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	anchors := map[string]map[string]bool{}
	texts := map[string]string{}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = mdFence.ReplaceAllString(string(data), "")
		anchors[page] = map[string]bool{}
		for _, h := range mdHeading.FindAllStringSubmatch(texts[page], -1) {
			anchors[page][anchorOf(h[1])] = true
		}
	}
	links := 0
	for page, text := range texts {
		for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue
			}
			links++
			if strings.HasPrefix(target, "../") && filepath.Base(filepath.Dir(page)) == "docs" {
				t.Errorf("%s: %s: the site has no page for it: name it with https://", page, m[1])
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s: no such file", page, m[1])
			} else if known, isPage := anchors[file]; isPage && anchor != "" && !known[anchor] {
				t.Errorf("%s: %s: no such heading", page, m[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("only %d links were found", links)
	}

	contents, err := os.ReadFile(filepath.Join(root, "mkdocs.yml"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^ +- (?:[^:\n]+: )?([^\s/]+\.md)$`).FindAllStringSubmatch(string(contents), -1) {
		named[m[1]] = true
		if _, err := os.Stat(filepath.Join(root, "docs", m[1])); err != nil {
			t.Errorf("mkdocs.yml: %v", err)
		}
	}
	for _, page := range pages {
		if name := filepath.Base(page); strings.Contains(filepath.ToSlash(page), "/docs/") && !named[name] {
			t.Errorf("mkdocs.yml does not name %s", name)
		}
	}
}

// anchorOf returns the anchor of a heading as GitHub and mkdocs make it.
func anchorOf(heading string) string {
	heading = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	heading = regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(strings.TrimSpace(heading), " ", "-")
}
