#include "http/openapi_schemas.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "http/json_text.h"
#include "laurel/limits.h"

namespace laurel::http {
namespace {

// Members of objects may have a null where a value is absent, because a field that is always there
// is easier to use. A field that is only there if it applies is not among `required`.
constexpr std::array kSchemas = {
    // Requests.
    NamedSchema{"ScoreInput",
                R"({"description": "One value per field in order, values by field name, or one value
                    on a board of one field. The text of a number is read exactly.",
                    "oneOf": [
                      {"type": "string"},
                      {"type": "number"},
                      {"type": "array", "items": {"type": ["string", "number"]}, "minItems": 1,
                       "maxItems": 8},
                      {"type": "object", "additionalProperties": {"type": ["string", "number"]}}],
                    "examples": [["100"], {"points": 10, "time": "1.50"}, 100]})"},
    NamedSchema{"MemberInput",
                R"({"description": "A member, or its bytes as base64 if they are not UTF-8.",
                    "oneOf": [
                      {"type": ["string", "integer"]},
                      {"type": "object", "required": ["member_base64"],
                       "properties": {"member_base64": {"$ref": "#/components/schemas/Base64"}},
                       "additionalProperties": false}],
                    "examples": ["ann"]})"},
    NamedSchema{"FieldInput",
                R"({"description": "A field: an object, or a text such as points:int:desc:sum.",
                    "oneOf": [
                      {"type": "string"},
                      {"type": "object", "required": ["name"], "additionalProperties": false,
                       "properties": {
                         "name": {"type": "string"},
                         "type": {"$ref": "#/components/schemas/FieldType"},
                         "direction": {"$ref": "#/components/schemas/Direction"},
                         "operator": {"$ref": "#/components/schemas/Operator"}}}],
                    "examples": [{"name": "points", "type": "int", "direction": "desc"}]})"},
    // Values.
    NamedSchema{"Base64",
                R"({"type": "string", "contentEncoding": "base64",
                    "description": "Bytes as base64, with padding.", "examples": ["/w=="]})"},
    NamedSchema{"FieldType",
                R"({"type": "string", "pattern": "^(int|decimal[1-9])$",
                    "description": "A 64-bit integer, or a fixed-point number with one to nine
                    decimals.", "examples": ["int"]})"},
    NamedSchema{"Direction", R"({"type": "string", "enum": ["desc", "asc"],
                    "description": "Whether more or less is better."})"},
    NamedSchema{"Operator", R"({"type": "string", "enum": ["set", "sum", "max", "min"],
                    "description": "What a submit does with the field."})"},
    NamedSchema{"Policy", R"({"type": "string", "enum": ["set", "best", "sum"]})"},
    NamedSchema{"Period", R"({"type": "string", "enum": ["hour", "day", "week", "month", "all"]})"},
    NamedSchema{"Score",
                R"({"type": "array", "items": {"type": "string"},
                    "description": "One number per field, exact, as text.",
                    "examples": [["100"]]})"},
    NamedSchema{"ScoreOrNull",
                R"({"type": ["array", "null"], "items": {"type": "string"},
                    "description": "One number per field, exact, as text.",
                    "examples": [["100"]]})"},
    NamedSchema{"Time",
                R"({"type": "string", "format": "date-time",
                    "description": "UTC with six decimals.",
                    "examples": ["2026-11-15T13:00:00.000000Z"]})"},
    NamedSchema{"TimeOrNull",
                R"({"type": ["string", "null"], "format": "date-time",
                    "description": "UTC with six decimals.",
                    "examples": ["2026-11-15T13:00:00.000000Z"]})"},
    NamedSchema{"RankOrNull",
                R"({"type": ["integer", "null"], "format": "int64", "minimum": 1,
                    "description": "The place, best first, from 1 on. Null without an entry and for
                    a hidden member.", "examples": [1]})"},
    NamedSchema{"Number", R"({"type": "integer", "format": "int64", "minimum": 0})"},
    NamedSchema{"Version",
                R"({"type": "string", "description": "The version of what was read: another text
                    after every change.", "examples": ["94be02427911-1-0-4"]})"},
    NamedSchema{"Cursor",
                R"({"type": "string", "description": "A place in the events of a board.",
                    "examples": ["1c0d32-2-1-1"]})"},
    // Answers: boards and templates.
    NamedSchema{"Ok", R"({"type": "object", "required": ["ok"],
                    "properties": {"ok": {"const": true}}})"},
    NamedSchema{"Field",
                R"({"type": "object", "required": ["name", "type", "direction", "operator"],
                    "properties": {
                      "name": {"type": "string"},
                      "type": {"$ref": "#/components/schemas/FieldType"},
                      "direction": {"$ref": "#/components/schemas/Direction"},
                      "operator": {"$ref": "#/components/schemas/Operator"}}})"},
    NamedSchema{"Spec",
                R"({"type": "object",
                    "description": "What a leaderboard was declared as. The last four only with
                    periods.",
                    "required": ["fields", "policy", "tie", "cap", "start", "end", "grace",
                                 "expire", "dedup"],
                    "properties": {
                      "fields": {"type": "array",
                                 "items": {"$ref": "#/components/schemas/Field"}},
                      "policy": {"$ref": "#/components/schemas/Policy"},
                      "tie": {"type": "string", "enum": ["first", "last", "member"]},
                      "cap": {"$ref": "#/components/schemas/Number",
                              "description": "The most entries; 0: no cap."},
                      "start": {"$ref": "#/components/schemas/TimeOrNull"},
                      "end": {"$ref": "#/components/schemas/TimeOrNull"},
                      "grace": {"type": "string"},
                      "expire": {"type": ["string", "null"]},
                      "dedup": {"$ref": "#/components/schemas/Number"},
                      "periods": {"type": "array",
                                  "items": {"$ref": "#/components/schemas/Period"}},
                      "tz": {"type": "string"},
                      "turn": {"type": "string"},
                      "keep": {"$ref": "#/components/schemas/Number"}}})"},
    NamedSchema{"Board",
                R"({"description": "A leaderboard, or an instance of it.",
                    "allOf": [
                      {"$ref": "#/components/schemas/Spec"},
                      {"type": "object",
                       "required": ["ids", "size", "hidden", "bytes", "create"],
                       "properties": {
                         "board": {"type": "string"},
                         "board_base64": {"$ref": "#/components/schemas/Base64"},
                         "ids": {"$ref": "#/components/schemas/Number",
                                 "description": "Request ids that are remembered."},
                         "size": {"$ref": "#/components/schemas/Number",
                                  "description": "Visible entries."},
                         "hidden": {"$ref": "#/components/schemas/Number",
                                    "description": "Hidden members."},
                         "bytes": {"$ref": "#/components/schemas/Number",
                                   "description": "Memory."},
                         "create": {"type": "string",
                                    "description": "The options of LB.CREATE."}}}]})"},
    NamedSchema{"BoardLine",
                R"({"type": "object", "required": ["size", "bytes"],
                    "description": "A board in a list. A sorted set has only its name, size and
                    bytes.",
                    "properties": {
                      "board": {"type": "string"},
                      "board_base64": {"$ref": "#/components/schemas/Base64"},
                      "policy": {"$ref": "#/components/schemas/Policy"},
                      "periods": {"type": "array",
                                  "items": {"$ref": "#/components/schemas/Period"}},
                      "start": {"$ref": "#/components/schemas/TimeOrNull"},
                      "end": {"$ref": "#/components/schemas/TimeOrNull"},
                      "window": {"type": "string",
                                 "enum": ["upcoming", "open", "grace", "ended"]},
                      "size": {"$ref": "#/components/schemas/Number"},
                      "bytes": {"$ref": "#/components/schemas/Number"}}})"},
    NamedSchema{"Boards",
                R"({"type": "object", "required": ["boards", "cursor"],
                    "properties": {
                      "boards": {"type": "array",
                                 "items": {"$ref": "#/components/schemas/BoardLine"}},
                      "cursor": {"type": ["string", "null"],
                                 "description": "For the next page; null: this is the last."}}})"},
    NamedSchema{"Template",
                R"({"type": "object", "required": ["spec"],
                    "properties": {
                      "pattern": {"type": "string"},
                      "pattern_base64": {"$ref": "#/components/schemas/Base64"},
                      "spec": {"$ref": "#/components/schemas/Spec"}}})"},
    NamedSchema{"Templates",
                R"({"type": "object", "required": ["templates"],
                    "properties": {"templates": {"type": "array",
                      "items": {"$ref": "#/components/schemas/Template"}}}})"},
    // Answers: entries.
    NamedSchema{"Entry",
                R"({"type": "object", "required": ["rank", "score", "reached"],
                    "description": "An entry. It has member or member_base64. Score and reached are
                    null for a member without an entry.",
                    "properties": {
                      "rank": {"$ref": "#/components/schemas/RankOrNull"},
                      "member": {"type": "string"},
                      "member_base64": {"$ref": "#/components/schemas/Base64"},
                      "score": {"$ref": "#/components/schemas/ScoreOrNull"},
                      "reached": {"$ref": "#/components/schemas/TimeOrNull",
                                  "description": "When the entry reached its score."},
                      "meta": {"type": ["string", "null"],
                               "description": "Only if asked for; null: the entry has none."},
                      "meta_base64": {"$ref": "#/components/schemas/Base64"}}})"},
    NamedSchema{"MemberEntry",
                R"({"description": "An entry, and how many the board has.",
                    "allOf": [
                      {"$ref": "#/components/schemas/Entry"},
                      {"type": "object", "required": ["count"],
                       "properties": {"count": {"$ref": "#/components/schemas/Number"}}}]})"},
    NamedSchema{"PageEntry",
                R"({"description": "An entry of a page.",
                    "allOf": [
                      {"$ref": "#/components/schemas/Entry"},
                      {"type": "object",
                       "properties": {"place": {"type": ["integer", "null"], "minimum": 1,
                         "description": "The place among the members asked for."}}}]})"},
    NamedSchema{"Page",
                R"({"type": "object", "required": ["count", "entries"],
                    "description": "Entries, best first.",
                    "properties": {
                      "board": {"type": "string"},
                      "board_base64": {"$ref": "#/components/schemas/Base64"},
                      "version": {"$ref": "#/components/schemas/Version",
                                  "description": "Also the ETag. Not in the answer to a write."},
                      "count": {"$ref": "#/components/schemas/Number",
                                "description": "Visible entries of the board; before the write."},
                      "entries": {"type": "array",
                                  "items": {"$ref": "#/components/schemas/PageEntry"}}}})"},
    NamedSchema{"PeriodVerdict",
                R"({"type": "object",
                    "required": ["status", "rank", "previous_rank", "score", "previous_score",
                                 "reached"],
                    "properties": {
                      "status": {"type": "string",
                        "enum": ["accepted", "unchanged", "not-best", "not-ranked", "skipped"]},
                      "rank": {"$ref": "#/components/schemas/RankOrNull"},
                      "previous_rank": {"$ref": "#/components/schemas/RankOrNull"},
                      "score": {"$ref": "#/components/schemas/ScoreOrNull"},
                      "previous_score": {"$ref": "#/components/schemas/ScoreOrNull"},
                      "reached": {"$ref": "#/components/schemas/TimeOrNull"},
                      "needs": {"$ref": "#/components/schemas/Score",
                        "description": "With not-ranked: the least score that would enter."},
                      "hidden": {"const": true, "description": "The member is hidden."}}})"},
    NamedSchema{"Verdict",
                R"({"description": "What became of a write.",
                    "allOf": [
                      {"$ref": "#/components/schemas/PeriodVerdict"},
                      {"type": "object",
                       "properties": {
                         "duplicate": {"const": true, "description": "The write was done before,
                           under the same Idempotency-Key."},
                         "periods": {"type": "object", "description": "Verdicts of the periods
                           after the first, by name.",
                           "additionalProperties":
                             {"$ref": "#/components/schemas/PeriodVerdict"}}}}]})"},
    NamedSchema{"Verdicts",
                R"({"type": "object", "required": ["verdicts"],
                    "properties": {"verdicts": {"type": "array",
                      "items": {"$ref": "#/components/schemas/Verdict"}}}})"},
    NamedSchema{"Written",
                R"({"description": "A verdict, or verdicts if entries were sent.",
                    "oneOf": [{"$ref": "#/components/schemas/Verdict"},
                              {"$ref": "#/components/schemas/Verdicts"}]})"},
    NamedSchema{"Rank", R"({"type": "object", "required": ["rank"],
                    "properties": {"rank": {"$ref": "#/components/schemas/RankOrNull"}}})"},
    NamedSchema{"Count", R"({"type": "object", "required": ["count"],
                    "properties": {"count": {"$ref": "#/components/schemas/Number"}}})"},
    NamedSchema{"Removed", R"({"type": "object", "required": ["removed"],
                    "properties": {"removed": {"$ref": "#/components/schemas/Number"}}})"},
    NamedSchema{"Changed", R"({"type": "object", "required": ["changed"],
                    "properties": {"changed": {"$ref": "#/components/schemas/Number"}}})"},
    NamedSchema{"Quantile", R"({"type": "object", "required": ["score"],
                    "properties": {"score": {"$ref": "#/components/schemas/ScoreOrNull"}}})"},
    NamedSchema{"Percentile",
                R"({"type": "object", "required": ["percentile", "worse", "equal", "count"],
                    "properties": {
                      "percentile": {"type": "number", "minimum": 0, "maximum": 100},
                      "worse": {"$ref": "#/components/schemas/Number"},
                      "equal": {"$ref": "#/components/schemas/Number"},
                      "count": {"$ref": "#/components/schemas/Number"}}})"},
    NamedSchema{"Histogram",
                R"({"type": "object", "required": ["buckets"],
                    "properties": {"buckets": {"type": "array", "items": {
                      "type": "object", "required": ["from", "to", "count"],
                      "properties": {
                        "from": {"type": "string", "description": "The least value."},
                        "to": {"type": "string", "description": "Above the greatest value."},
                        "count": {"$ref": "#/components/schemas/Number"}}}}}})"},
    NamedSchema{"Periods",
                R"({"type": "object", "required": ["periods"],
                    "properties": {"periods": {"type": "array", "items": {
                      "type": "object",
                      "required": ["period", "begin", "end", "present", "size", "closed"],
                      "properties": {
                        "board": {"type": "string", "description": "The instance's name."},
                        "board_base64": {"$ref": "#/components/schemas/Base64"},
                        "period": {"$ref": "#/components/schemas/Period"},
                        "begin": {"$ref": "#/components/schemas/TimeOrNull"},
                        "end": {"$ref": "#/components/schemas/TimeOrNull"},
                        "present": {"type": "boolean"},
                        "size": {"$ref": "#/components/schemas/Number"},
                        "closed": {"type": ["string", "null"], "description":
                          "The cursor of the event that closed the instance."}}}}}})"},
    NamedSchema{"ReadError",
                R"({"type": "object", "required": ["code", "detail"],
                    "description": "Why one of several reads has no answer.",
                    "properties": {"code": {"type": "string"}, "detail": {"type": "string"}}})"},
    NamedSchema{"Results",
                R"({"type": "object", "required": ["results"],
                    "properties": {"results": {"type": "array",
                      "description": "In the order of the reads.",
                      "items": {"anyOf": [
                        {"$ref": "#/components/schemas/Page"},
                        {"$ref": "#/components/schemas/MemberEntry"},
                        {"$ref": "#/components/schemas/Board"},
                        {"$ref": "#/components/schemas/Percentile"},
                        {"$ref": "#/components/schemas/Histogram"},
                        {"$ref": "#/components/schemas/Periods"},
                        {"$ref": "#/components/schemas/Rank"},
                        {"$ref": "#/components/schemas/Count"},
                        {"$ref": "#/components/schemas/Quantile"},
                        {"$ref": "#/components/schemas/ReadError"}]}}}})"},
    // Answers: events.
    NamedSchema{"Event",
                R"({"type": "object", "required": ["cursor", "cause"],
                    "description": "A change of a board.",
                    "properties": {
                      "cursor": {"$ref": "#/components/schemas/Cursor"},
                      "cause": {"type": "string", "enum": ["put", "removed", "evicted",
                        "removed-range", "evicted-range", "hidden", "shown", "cleared", "closed",
                        "created", "altered", "renamed", "dropped", "expired", "loaded"]},
                      "board": {"type": "string",
                                "description": "The instance, on a board with periods."},
                      "board_base64": {"$ref": "#/components/schemas/Base64"},
                      "member": {"type": "string"},
                      "member_base64": {"$ref": "#/components/schemas/Base64"},
                      "score": {"$ref": "#/components/schemas/Score"},
                      "reached": {"$ref": "#/components/schemas/Time"},
                      "count": {"$ref": "#/components/schemas/Number",
                        "description": "Entries of the range, of the closed instance, or of the load."},
                      "first": {"$ref": "#/components/schemas/RangeEnd"},
                      "last": {"$ref": "#/components/schemas/RangeEnd"},
                      "top": {"type": "array", "description": "The best of a closed instance.",
                              "items": {"$ref": "#/components/schemas/Entry"}},
                      "spec": {"type": "string", "description": "Of created, altered and loaded."},
                      "name": {"type": ["string", "null"],
                               "description": "Of renamed: the new name, if it may be seen."},
                      "name_base64": {"$ref": "#/components/schemas/Base64"}}})"},
    NamedSchema{"RangeEnd",
                R"({"type": "object", "required": ["score", "reached"],
                    "description": "The first or the last entry of a removed range.",
                    "properties": {
                      "member": {"type": "string"},
                      "member_base64": {"$ref": "#/components/schemas/Base64"},
                      "score": {"$ref": "#/components/schemas/Score"},
                      "reached": {"$ref": "#/components/schemas/Time"}}})"},
    NamedSchema{"Events",
                R"({"type": "object", "required": ["events", "next"],
                    "properties": {
                      "events": {"type": "array",
                                 "items": {"$ref": "#/components/schemas/Event"}},
                      "next": {"$ref": "#/components/schemas/Cursor",
                               "description": "Where to go on."},
                      "gap": {"const": true,
                        "description": "Events before these are no longer in the log."}}})"},
    NamedSchema{"Gap", R"({"type": "object", "required": ["cause", "next"],
                    "description": "Events before the ones that follow are lost.",
                    "properties": {"cause": {"const": "gap"},
                                   "next": {"$ref": "#/components/schemas/Cursor"}}})"},
    NamedSchema{"StreamEnd", R"({"type": "object", "required": ["reason"],
                    "description": "The last event of a stream.",
                    "properties": {"reason": {"type": "string"}}})"},
    NamedSchema{"LiveTop",
                R"({"type": "object", "required": ["version", "count", "size", "entries"],
                    "description": "The top of a board: whole, or the entries that changed.",
                    "properties": {
                      "board": {"type": "string",
                                "description": "The board, or the present instance."},
                      "board_base64": {"$ref": "#/components/schemas/Base64"},
                      "version": {"$ref": "#/components/schemas/Number"},
                      "count": {"$ref": "#/components/schemas/Number",
                                "description": "Entries of the board."},
                      "size": {"$ref": "#/components/schemas/Number",
                               "description": "Entries of the top: drop later ranks."},
                      "entries": {"type": "array",
                                  "items": {"$ref": "#/components/schemas/Entry"}}}})"},
    NamedSchema{"LiveMembers",
                R"({"type": "object", "required": ["version", "members"],
                    "description": "The followed members whose entry or rank changed.",
                    "properties": {
                      "board": {"type": "string"},
                      "board_base64": {"$ref": "#/components/schemas/Base64"},
                      "version": {"$ref": "#/components/schemas/Number"},
                      "members": {"type": "array",
                                  "items": {"$ref": "#/components/schemas/Entry"}}}})"},
    // Answers: the server.
    NamedSchema{"WhoAmI",
                R"({"type": "object",
                    "required": ["name", "role", "boards", "anonymous", "tokens"],
                    "properties": {
                      "name": {"type": "string"},
                      "role": {"type": "string", "enum": ["read", "submit", "write", "admin"]},
                      "boards": {"type": "string", "description": "A pattern of names."},
                      "anonymous": {"type": "boolean", "description":
                        "The request has no token, and the server lets it read (--anonymous)."},
                      "tokens": {"type": "boolean", "description":
                        "The server has tokens. Without any, each client may do everything."}}})"},
    NamedSchema{"Times",
                R"({"type": "object",
                    "required": ["count", "total_us", "p50_us", "p99_us", "p999_us", "bounds_us",
                                 "buckets"],
                    "description": "Durations since the start. The difference of two answers has
                    those of the time between.",
                    "properties": {
                      "count": {"$ref": "#/components/schemas/Number"},
                      "total_us": {"$ref": "#/components/schemas/Number"},
                      "p50_us": {"$ref": "#/components/schemas/Number"},
                      "p99_us": {"$ref": "#/components/schemas/Number"},
                      "p999_us": {"$ref": "#/components/schemas/Number"},
                      "bounds_us": {"type": "array", "description":
                        "The upper bounds of the buckets, inclusive. One more bucket has all longer
                        durations.", "items": {"$ref": "#/components/schemas/Number"}},
                      "buckets": {"type": "array", "description": "Durations in each bucket.",
                                  "items": {"$ref": "#/components/schemas/Number"}}}})"},
    NamedSchema{"Figures", R"({"type": "object", "additionalProperties":
                    {"type": ["integer", "boolean", "string", "null", "object"]}})"},
    NamedSchema{"Server",
                R"({"type": "object", "required": ["version", "state", "uptime_seconds"],
                    "description": "Figures by kind. More may be added.",
                    "properties": {
                      "version": {"type": "string"},
                      "run_id": {"type": "string"},
                      "state": {"type": "string", "enum": ["loading", "serving", "stopping"]},
                      "time": {"$ref": "#/components/schemas/Time"},
                      "stamp_lead_us": {"$ref": "#/components/schemas/Number"},
                      "uptime_seconds": {"$ref": "#/components/schemas/Number"},
                      "requests_per_second": {"$ref": "#/components/schemas/Number"},
                      "commands_total": {"type": "integer", "description":
                        "Commands and HTTP requests since the start or CONFIG RESETSTAT."},
                      "errors_total": {"type": "integer", "description":
                        "Errors that commands were answered with, in the same time."},
                      "cpu_us": {"type": "integer", "description":
                        "CPU time that the process has used, user and system."},
                      "connections": {"$ref": "#/components/schemas/Figures"},
                      "boards": {"$ref": "#/components/schemas/Figures"},
                      "memory": {"$ref": "#/components/schemas/Figures"},
                      "disk": {"$ref": "#/components/schemas/Figures"},
                      "engine_times": {"$ref": "#/components/schemas/Times"},
                      "fsync_times": {"$ref": "#/components/schemas/Times"}}})"},
    NamedSchema{"Clients",
                R"({"type": "object", "required": ["clients"],
                    "properties": {"clients": {"type": "array", "items": {
                      "type": "object",
                      "required": ["id", "address", "user", "age_seconds", "idle_seconds", "line"],
                      "properties": {
                        "id": {"$ref": "#/components/schemas/Number"},
                        "address": {"type": "string"},
                        "user": {"type": "string", "description": "The token's name."},
                        "age_seconds": {"$ref": "#/components/schemas/Number"},
                        "idle_seconds": {"$ref": "#/components/schemas/Number"},
                        "line": {"type": "string", "description": "As in CLIENT LIST."},
                        "line_base64": {"$ref": "#/components/schemas/Base64"}}}}}})"},
    NamedSchema{"SlowCommands",
                R"({"type": "object", "required": ["commands"],
                    "properties": {"commands": {"type": "array", "items": {
                      "type": "object",
                      "required": ["id", "time", "micros", "words", "address", "client"],
                      "properties": {
                        "id": {"$ref": "#/components/schemas/Number"},
                        "time": {"$ref": "#/components/schemas/Time"},
                        "micros": {"$ref": "#/components/schemas/Number"},
                        "words": {"type": "array", "items": {"type": "string"}},
                        "address": {"type": "string"},
                        "client": {"type": "string"}}}}}})"},
    NamedSchema{"Readiness",
                R"({"type": "object", "required": ["ready", "state", "writes"],
                    "properties": {
                      "ready": {"type": "boolean"},
                      "state": {"type": "string", "enum": ["loading", "serving", "stopping"]},
                      "writes": {"type": "boolean"}}})"},
    NamedSchema{"Document", R"({"type": "object", "description": "An OpenAPI document."})"},
    NamedSchema{"Problem",
                R"({"type": "object", "required": ["title", "status", "code", "detail"],
                    "description": "Why a request was refused (RFC 9457). It changed nothing,
                    unless the code is UNKNOWN.",
                    "properties": {
                      "title": {"type": "string", "description": "The status as text."},
                      "status": {"type": "integer"},
                      "code": {"type": "string", "description": "Stable, for programs."},
                      "detail": {"type": "string", "description": "The reason, for people."},
                      "field": {"type": "string",
                        "description": "The parameter, header or key that is wrong."},
                      "request_id": {"type": "string"}}})"},
};

struct ShapeName {
  Shape shape;
  std::string_view schema;
};
constexpr std::array kShapes = {
    ShapeName{Shape::kOk, "Ok"},
    ShapeName{Shape::kBoard, "Board"},
    ShapeName{Shape::kBoards, "Boards"},
    ShapeName{Shape::kTemplates, "Templates"},
    ShapeName{Shape::kTemplate, "Template"},
    ShapeName{Shape::kEntry, "MemberEntry"},
    ShapeName{Shape::kPage, "Page"},
    ShapeName{Shape::kAround, "Page"},
    ShapeName{Shape::kVerdict, "Verdict"},
    ShapeName{Shape::kVerdicts, "Verdicts"},
    ShapeName{Shape::kWritten, "Written"},
    ShapeName{Shape::kRank, "Rank"},
    ShapeName{Shape::kCount, "Count"},
    ShapeName{Shape::kScore, "Quantile"},
    ShapeName{Shape::kPercentile, "Percentile"},
    ShapeName{Shape::kBuckets, "Histogram"},
    ShapeName{Shape::kPeriods, "Periods"},
    ShapeName{Shape::kRemoved, "Removed"},
    ShapeName{Shape::kRemovedOne, "Removed"},
    ShapeName{Shape::kChanged, "Changed"},
    ShapeName{Shape::kChangedOne, "Changed"},
    ShapeName{Shape::kEvents, "Events"},
    ShapeName{Shape::kResults, "Results"},
    ShapeName{Shape::kWhoAmI, "WhoAmI"},
    ShapeName{Shape::kServer, "Server"},
    ShapeName{Shape::kClients, "Clients"},
    ShapeName{Shape::kSlowLog, "SlowCommands"},
    ShapeName{Shape::kHealth, "Ok"},
    ShapeName{Shape::kReady, "Readiness"},
    ShapeName{Shape::kDocument, "Document"},
};

constexpr std::int64_t kExactInteger = std::int64_t{1} << 53;  // doubles hold integers up to here

// Adds the type, "null" beside it if the property takes one.
void AddType(const Property& property, std::span<const std::string_view> types,
             JsonObject* schema) {
  std::vector<std::string_view> all(types.begin(), types.end());
  if (property.nullable) all.push_back("null");
  schema->Add("type", all.size() == 1 ? JsonString(all[0]) : JsonTexts(all));
}
void AddType(const Property& property, std::string_view type, JsonObject* schema) {
  AddType(property, std::span(&type, 1), schema);
}

void AddInteger(const Property& property, JsonObject* schema) {
  AddType(property, "integer", schema);
  schema->AddText("format", "int64");
  schema->Add("minimum", std::to_string(property.min));
  if (property.max <= kExactInteger) schema->Add("maximum", std::to_string(property.max));
}

void AddChoice(const Property& property, JsonObject* schema) {
  AddType(property, "string", schema);
  std::string choices = JsonTexts(property.choices);
  if (property.nullable) choices.insert(choices.size() - 1, ",null");
  schema->Add("enum", choices);
}

void AddArray(std::string_view items, std::size_t most, JsonObject* schema) {
  schema->AddText("type", "array").Add("items", items).Add("minItems", "1");
  if (most > 0) schema->Add("maxItems", std::to_string(most));
}

void AddTypeOf(const Property& property, JsonObject* schema) {
  constexpr std::string_view kTextOrNumber[] = {"string", "number"};
  constexpr std::string_view kTextOrInteger[] = {"string", "integer"};
  switch (property.type) {
    case Type::kText:
    case Type::kBytes:
    case Type::kDuration:
      return AddType(property, "string", schema);
    case Type::kMember:
      return AddType(property, kTextOrInteger, schema);
    case Type::kInteger:
      return AddInteger(property, schema);
    case Type::kBoolean:
      return AddType(property, "boolean", schema);
    case Type::kNumber:
    case Type::kTime:
    case Type::kBound:
      return AddType(property, kTextOrNumber, schema);
    case Type::kChoice:
      return AddChoice(property, schema);
    case Type::kScore:
      schema->AddText("$ref", "#/components/schemas/ScoreInput");
      return;
    case Type::kTexts:
      return AddArray(R"({"type":"string"})", 0, schema);
    case Type::kMembers:
      schema->AddText("type", "array").Add("items", SchemaReference("MemberInput"));
      return;
    case Type::kFields:
      return AddArray(SchemaReference("FieldInput"), kMaxFields, schema);
    case Type::kPeriods:
      schema->AddText("type", "array").Add("items", SchemaReference("Period"));
      return;
    case Type::kEntries:
      return AddArray(SchemaReference("EntryInput"), 0, schema);
    case Type::kSubmits:
      return AddArray(SchemaReference("SubmitInput"), 0, schema);
    case Type::kReads:
      return AddArray(SchemaReference("ReadInput"), kMaxReads, schema);
  }
  LAUREL_ASSERT(false);
}

// The default as JSON; empty if there is none.
std::string DefaultOf(const Property& property) {
  const std::string_view text = property.default_text;
  if (text.empty()) return {};
  if (property.type == Type::kInteger) return std::string(text);
  if (property.type == Type::kBoolean) return text == "1" || text == "true" ? "true" : "false";
  return JsonString(text);
}

std::string Base64Name(const Property& property) { return std::string(property.name) + "_base64"; }

// The names of the required properties, without those of bytes. Empty: there are none.
std::string PlainRequired(std::span<const Property> properties) {
  std::vector<std::string_view> names;
  for (const Property& property : properties) {
    if (property.required && !MayBeBase64(property.type)) names.push_back(property.name);
  }
  return names.empty() ? "" : JsonTexts(names);
}

// The alternatives that the required properties of bytes allow, as they have two names each. Empty:
// there are none.
std::string BytesRequired(std::span<const Property> properties) {
  std::vector<std::vector<std::string>> alternatives = {{}};
  for (const Property& property : properties) {
    if (!property.required || !MayBeBase64(property.type)) continue;
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& names : alternatives) {
      for (const std::string& name : {std::string(property.name), Base64Name(property)}) {
        longer.push_back(names);
        longer.back().push_back(JsonString(name));
      }
    }
    alternatives = std::move(longer);
  }
  if (alternatives.size() == 1) return {};
  std::vector<std::string> texts;
  for (const std::vector<std::string>& names : alternatives) {
    texts.push_back(JsonObject().Add("required", JsonArray(names)).Take());
  }
  return JsonArray(texts);
}

}  // namespace

std::span<const NamedSchema> WrittenSchemas() { return kSchemas; }

std::string_view AnswerSchema(Shape shape) {
  for (const ShapeName& known : kShapes) {
    if (known.shape == shape) return known.schema;
  }
  return {};
}

std::string SchemaReference(std::string_view name) {
  return JsonObject().AddText("$ref", "#/components/schemas/" + std::string(name)).Take();
}

std::string SchemaOf(const Property& property) {
  JsonObject schema;
  AddTypeOf(property, &schema);
  return schema.Add("default", DefaultOf(property)).Take();
}

std::string ObjectSchema(std::span<const Property> properties, std::string_view any_of) {
  JsonObject members;
  for (const Property& property : properties) {
    JsonObject schema;
    AddTypeOf(property, &schema);
    // Generators of clients take a key with a default for one that is always there, in requests
    // too.
    std::string help(property.help);
    if (!property.default_text.empty()) {
      help.append(" Default: ").append(property.default_text).append(".");
    }
    schema.AddText("description", help);
    schema.Add("examples", "[" + std::string(property.example) + "]");
    members.Add(property.name, schema.Take());
    if (!MayBeBase64(property.type)) continue;
    members.Add(Base64Name(property), SchemaReference("Base64"));
  }
  JsonObject object;
  object.AddText("type", "object").Add("properties", members.Take());
  object.Add("additionalProperties", "false").Add("required", PlainRequired(properties));
  const std::string alternatives = any_of.empty() ? BytesRequired(properties) : std::string(any_of);
  if (alternatives.empty()) return object.Take();
  // An anyOf beside the properties would be an alternative to them for generators of clients.
  return object.Add("allOf", "[" + JsonObject().Add("anyOf", alternatives).Take() + "]").Take();
}

}  // namespace laurel::http
