package http

import (
	"fmt"

	"cepa"
)

// Get asks for what is at an address. Any status is an answer.
func Get(url string) (*Response, error) {
	request, err := NewRequest("GET", url)
	if err != nil {
		return nil, err
	}
	return Fetch(request)
}

// ReadAll gives the rest of the body; `limit` when there are more than `most` bytes.
func (response *Response) ReadAll(most int) ([]byte, error) {
	body, err := response.read(most)
	if err == nil && len(body) > most {
		message := fmt.Sprintf("the answer has more than the %d bytes that were wanted", most)
		return nil, cepa.NewError(cepa.ErrorKindLimit, message)
	}
	return body, err
}

// ReadStart gives the first bytes of the body, at most `most`. What comes behind them is left unread.
func (response *Response) ReadStart(most int) ([]byte, error) {
	body, err := response.read(most - 1)
	return body[:min(most, len(body))], err
}

// The body, until it ends or has more bytes than are enough.
func (response *Response) read(enough int) ([]byte, error) {
	var body []byte
	for len(body) <= enough {
		portion, err := response.Read()
		if err != nil {
			return nil, err
		}
		if len(portion) == 0 {
			break
		}
		body = append(body, portion...)
	}
	return body, nil
}
