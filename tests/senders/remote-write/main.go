// Sends samples by Prometheus' client of remote write 2.0, as a program that pushes its metrics does.
package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/exp/api/remote"
	writev2 "github.com/prometheus/client_golang/exp/api/remote/genproto/v2"
)

// withToken adds the token to each request.
type withToken struct{ token string }

func (t withToken) RoundTrip(request *http.Request) (*http.Response, error) {
	request.Header.Set("Authorization", "Bearer "+t.token)
	return http.DefaultTransport.RoundTrip(request)
}

// Usage: remote-write URL TOKEN COUNT. For each line of the input, a name: sends COUNT samples of that name, a histogram,
// and an exemplar, and prints what the server has written.
func main() {
	count, err := strconv.Atoi(os.Args[3])
	check(err)
	client := &http.Client{Transport: withToken{os.Args[2]}}
	api, err := remote.NewAPI(os.Args[1], remote.WithAPIHTTPClient(client))
	check(err)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		stats, err := api.Write(context.Background(), remote.WriteV2MessageType, request(lines.Text(), count))
		check(err)
		fmt.Printf("samples=%d histograms=%d exemplars=%d\n", stats.Samples, stats.Histograms, stats.Exemplars)
	}
	check(lines.Err())
}

func request(name string, count int) *writev2.Request {
	symbols := []string{"", "__name__", name, "service", "pusher", name + "_native"}
	now := time.Now().UnixMilli()
	series := &writev2.TimeSeries{LabelsRefs: []uint32{1, 2, 3, 4}, Metadata: &writev2.Metadata{Type: writev2.Metadata_METRIC_TYPE_GAUGE}}
	for i := 0; i < count; i++ {
		series.Samples = append(series.Samples, &writev2.Sample{Value: float64(i), Timestamp: now - int64(count-i)*1000})
	}
	series.Exemplars = []*writev2.Exemplar{{LabelsRefs: []uint32{3, 4}, Value: 1, Timestamp: now}}
	histogram := &writev2.TimeSeries{
		LabelsRefs: []uint32{1, 5, 3, 4},
		Histograms: []*writev2.Histogram{{
			Count:          &writev2.Histogram_CountInt{CountInt: 3},
			ZeroCount:      &writev2.Histogram_ZeroCountInt{ZeroCountInt: 0},
			Sum:            4.5,
			Schema:         0,
			PositiveSpans:  []*writev2.BucketSpan{{Offset: 0, Length: 2}},
			PositiveDeltas: []int64{1, 1},
			Timestamp:      now,
		}},
	}
	return &writev2.Request{Symbols: symbols, Timeseries: []*writev2.TimeSeries{series, histogram}}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
