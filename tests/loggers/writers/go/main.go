// Writes the records of a file with one logger of Go, at the records' times: `write LOGGER RECORDS`.
package main

import (
	"bufio"
	"context"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/rs/zerolog"
	"github.com/sirupsen/logrus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

type record struct {
	at             time.Time
	level, message string
	trace          bool
}

// Both zap and hclog take a clock.
var now time.Time

type clock struct{}

func (clock) Now() time.Time                         { return now }
func (clock) NewTicker(d time.Duration) *time.Ticker { return time.NewTicker(d) }

func main() {
	write := loggers[os.Args[1]]()
	for _, one := range read(os.Args[2]) {
		now = one.at
		write(one)
	}
}

func read(path string) (records []record) {
	file, err := os.Open(path)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		ms, _ := strconv.ParseInt(parts[0], 10, 64)
		records = append(records, record{time.UnixMilli(ms).UTC(), parts[1], parts[2], parts[3] == "trace"})
	}
	return records
}

var loggers = map[string]func() func(record){
	"slog text":       func() func(record) { return writeSlog(slog.NewTextHandler(os.Stdout, allOf())) },
	"slog JSON":       func() func(record) { return writeSlog(slog.NewJSONHandler(os.Stdout, allOf())) },
	"zap console":     func() func(record) { return writeZap(zap.NewDevelopmentConfig()) },
	"zap JSON":        func() func(record) { return writeZap(zap.NewProductionConfig()) },
	"zerolog":         func() func(record) { return writeZerolog(zerolog.New(os.Stdout)) },
	"zerolog console": func() func(record) {
		return writeZerolog(zerolog.New(zerolog.ConsoleWriter{Out: os.Stdout, NoColor: true, TimeFormat: time.RFC3339, TimeLocation: time.UTC}))
	},
	"logrus": writeLogrus,
	"hclog":  writeHclog,
}

func allOf() *slog.HandlerOptions { return &slog.HandlerOptions{Level: slog.LevelDebug} }

func writeSlog(handler slog.Handler) func(record) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	return func(one record) {
		_ = handler.Handle(context.Background(), slog.NewRecord(one.at, levels[one.level], one.message, 0))
	}
}

func writeZap(config zap.Config) func(record) {
	config.OutputPaths = []string{"stdout"}
	config.Level = zap.NewAtomicLevelAt(zap.DebugLevel)
	config.Sampling = nil
	logger, err := config.Build(zap.WithClock(clock{}))
	if err != nil {
		panic(err)
	}
	levels := map[string]zapcore.Level{"debug": zap.DebugLevel, "info": zap.InfoLevel, "warn": zap.WarnLevel, "error": zap.ErrorLevel}
	return func(one record) { logger.Log(levels[one.level], one.message) }
}

func writeZerolog(logger zerolog.Logger) func(record) {
	zerolog.TimestampFunc = func() time.Time { return now }
	logger = logger.With().Timestamp().Logger()
	levels := map[string]zerolog.Level{"trace": zerolog.TraceLevel, "debug": zerolog.DebugLevel, "info": zerolog.InfoLevel, "warn": zerolog.WarnLevel, "error": zerolog.ErrorLevel, "fatal": zerolog.FatalLevel}
	return func(one record) { logger.WithLevel(levels[one.level]).Msg(one.message) }
}

func writeLogrus() func(record) {
	logger := logrus.New()
	logger.SetOutput(os.Stdout)
	logger.SetLevel(logrus.TraceLevel)
	levels := map[string]logrus.Level{"trace": logrus.TraceLevel, "debug": logrus.DebugLevel, "info": logrus.InfoLevel, "warn": logrus.WarnLevel, "error": logrus.ErrorLevel}
	return func(one record) { logger.WithTime(one.at).Log(levels[one.level], one.message) }
}

func writeHclog() func(record) {
	logger := hclog.New(&hclog.LoggerOptions{Name: "shop", Output: os.Stdout, Level: hclog.Trace, TimeFn: func() time.Time { return now }})
	levels := map[string]hclog.Level{"trace": hclog.Trace, "debug": hclog.Debug, "info": hclog.Info, "warn": hclog.Warn, "error": hclog.Error}
	return func(one record) { logger.Log(levels[one.level], one.message) }
}
