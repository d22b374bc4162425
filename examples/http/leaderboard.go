// A leaderboard over HTTP, with Go's standard library only.
//
//	LAUREL_URL=http://127.0.0.1:7680 LAUREL_TOKEN=… go run leaderboard.go
//
// The token must have the role admin, because the program creates a board and drops it at the end.
// A server without tokens needs none.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const board = "/v1/boards/example"

// entry is a place on the board. Scores are strings, because they are exact 64-bit numbers.
type entry struct {
	Rank   int      `json:"rank"`
	Member string   `json:"member"`
	Score  []string `json:"score"`
	Count  int      `json:"count"` // entries of the board; only in the answer for one member
}

// problem is a refused request: the server's answer of the type application/problem+json.
type problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Field  string `json:"field"`
}

func (p *problem) Error() string { return p.Code + " " + p.Detail }

// send returns the answer to a request; the caller closes its body.
func send(method, path string, body any, header http.Header) (*http.Response, error) {
	base := os.Getenv("LAUREL_URL")
	if base == "" {
		base = "http://127.0.0.1:7680"
	}
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, base+path, content)
	if err != nil {
		return nil, err
	}
	if header != nil {
		request.Header = header
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token := os.Getenv("LAUREL_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode < 400 {
		return answer, err
	}
	defer answer.Body.Close()
	if answer.Header.Get("Content-Type") != "application/problem+json" {
		return nil, errors.New(answer.Status) // not from Laurel: a proxy perhaps
	}
	refusal := new(problem)
	if err := json.NewDecoder(answer.Body).Decode(refusal); err != nil {
		return nil, err
	}
	return nil, refusal
}

// call sends a request and reads its answer into result, unless that is nil.
func call(method, path string, body any, header http.Header, result any) error {
	answer, err := send(method, path, body, header)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if result == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		return err
	}
	return json.NewDecoder(answer.Body).Decode(result)
}

func newKey() string {
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	return hex.EncodeToString(random)
}

// submit submits a score. A retry with the same key changes nothing and gets the first verdict.
func submit(member, score, key string) error {
	var verdict struct {
		Status    string `json:"status"`
		Rank      int    `json:"rank"`
		Duplicate bool   `json:"duplicate"`
	}
	body := map[string]any{"member": member, "score": []string{score}}
	header := http.Header{"Idempotency-Key": {key}}
	if err := call("POST", board+"/entries", body, header, &verdict); err != nil {
		return err
	}
	duplicate := ""
	if verdict.Duplicate {
		duplicate = ", duplicate"
	}
	fmt.Printf("%s %s: %s, rank %d%s\n", member, score, verdict.Status, verdict.Rank, duplicate)
	return nil
}

// stream reads server-sent events.
type stream struct {
	body  io.ReadCloser
	lines *bufio.Scanner
}

func openStream(path string) *stream {
	answer, err := send("GET", path, nil, http.Header{"Accept": {"text/event-stream"}})
	check(err)
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20) // the longest line
	return &stream{answer.Body, lines}
}

// next reads the next event into data and returns its name. Laurel writes data as one line.
func (s *stream) next(data any) string {
	event := ""
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch {
		case name == "event":
			event = value
		case name == "data":
			check(json.Unmarshal([]byte(value), data))
		case name == "" && event != "":
			return event
		}
	}
	log.Fatal("the stream has ended: ", s.lines.Err())
	return ""
}

func lineOf(entries []entry) string {
	var texts []string
	for _, e := range entries {
		texts = append(texts, fmt.Sprintf("%d %s %s", e.Rank, e.Member, e.Score[0]))
	}
	return strings.Join(texts, ", ")
}

// followLive reads the whole top, and then updates with the entries that have changed since.
func followLive() {
	live := openStream(board + "/live?top=3")
	defer live.body.Close()
	var top [3]entry
	show := func() {
		var data struct {
			Size    int     `json:"size"`
			Entries []entry `json:"entries"`
		}
		name := live.next(&data)
		for _, e := range data.Entries {
			top[e.Rank-1] = e
		}
		fmt.Printf("live %s: %s\n", name, lineOf(top[:data.Size]))
	}
	show()
	check(submit("dan", "2000", newKey()))
	show()
	check(submit("cem", "1700", newKey()))
	show()
}

// followChanges takes a cursor of now, and then every event after it. None is lost in between.
func followChanges() {
	var now struct {
		Next string `json:"next"`
	}
	check(call("GET", board+"/changes?from=$", nil, nil, &now))
	check(submit("eve", "800", newKey()))
	changes := openStream(board + "/changes?from=" + now.Next)
	defer changes.body.Close()
	var change entry
	name := changes.next(&change)
	fmt.Printf("change %s: %s %s\n", name, change.Member, change.Score[0])
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	check(call("PUT", board, map[string]any{"policy": "best"}, nil, nil))
	fmt.Println("created example")

	key := newKey()
	check(submit("ann", "1200", key))
	check(submit("ann", "1200", key)) // as after a lost answer
	check(submit("bob", "1500", newKey()))
	check(submit("cem", "900", newKey()))

	var page struct {
		Entries []entry `json:"entries"`
	}
	check(call("GET", board+"/entries?limit=3", nil, nil, &page))
	fmt.Println("top:", lineOf(page.Entries))
	var cem entry
	check(call("GET", board+"/entries/cem", nil, nil, &cem))
	fmt.Printf("cem: rank %d of %d\n", cem.Rank, cem.Count)

	followLive()
	followChanges()

	var refused *problem
	if err := submit("ann", "12.5", newKey()); errors.As(err, &refused) {
		fmt.Printf("refused: %d %s, field %s\n", refused.Status, refused.Code, refused.Field)
	} else {
		check(err)
	}

	check(call("DELETE", board, nil, nil, nil))
	fmt.Println("dropped example")
}
