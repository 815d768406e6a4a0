"""Writes the records of a file with one logger of Python, at the records' times: `python3 write.py LOGGER RECORDS`.

Loggers that can't be given a time read the clock of libfaketime: CLOCK names the file in which it looks for the time.
"""

import datetime
import logging
import os
import sys

LEVELS = {"debug": 10, "info": 20, "warn": 30, "error": 40, "fatal": 50}


def records(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            ms, level, message, trace = line.rstrip("\n").split("\t")
            yield int(ms), level, message, trace == "trace"


def error():
    try:
        raise ValueError("it broke")
    except ValueError:
        return sys.exc_info()


def write_logging(path):
    """Uses the standard library, which accepts records with any time."""
    logger = logging.getLogger("shop")
    for ms, level, message, trace in records(path):
        record = logger.makeRecord("shop", LEVELS[level], __file__, 1, message, (), error() if trace else None)
        record.created, record.msecs = ms / 1000, float(ms % 1000)
        logger.handle(record)


def standard(path):
    logging.basicConfig(stream=sys.stdout, level=1, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
    write_logging(path)


def basic(path):
    logging.basicConfig(stream=sys.stdout, level=1, format="%(asctime)s:" + logging.BASIC_FORMAT)
    write_logging(path)


def django(path):
    import django
    from django.conf import settings

    verbose = "{levelname} {asctime} {module} {process:d} {thread:d} {message}"
    settings.configure(
        USE_TZ=True,
        TIME_ZONE="UTC",
        LOGGING={
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"verbose": {"format": verbose, "style": "{"}},
            "handlers": {
                "console": {"class": "logging.StreamHandler", "formatter": "verbose", "stream": "ext://sys.stdout"}
            },
            "root": {"handlers": ["console"], "level": 1},
        },
    )
    django.setup()
    write_logging(path)


def json(path):
    from pythonjsonlogger.json import JsonFormatter

    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=1, handlers=[handler])
    write_logging(path)


def at(ms):
    """Sets the clock of libfaketime, which has whole seconds."""
    time = datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc)
    path = os.environ["CLOCK"]
    with open(path + ".new", "w", encoding="ascii") as clock:
        clock.write(time.strftime("%Y-%m-%d %H:%M:%S"))
    os.replace(path + ".new", path)


def loguru(path):
    from loguru import logger

    logger.remove()
    logger.add(sys.stdout, level=0, backtrace=False)
    for ms, level, message, trace in records(path):
        name = {"warn": "WARNING", "fatal": "CRITICAL"}.get(level, level.upper())
        exception = error() if trace else None
        at(ms)
        logger.opt(exception=exception).log(name, message)


def structlog(path):
    import structlog

    processors = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="%Y-%m-%d %H:%M:%S", utc=True),
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
    structlog.configure(processors=processors, logger_factory=structlog.PrintLoggerFactory(sys.stdout))
    logger = structlog.get_logger()
    for ms, level, message, trace in records(path):
        options = {"exc_info": error()} if trace else {}
        at(ms)
        getattr(logger, {"warn": "warning", "fatal": "critical"}.get(level, level))(message, **options)


{
    "logging": standard,
    "logging basic": basic,
    "Django": django,
    "python-json-logger": json,
    "loguru": loguru,
    "structlog": structlog,
}[sys.argv[1]](sys.argv[2])
