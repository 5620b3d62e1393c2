/**
 * The gRPC service of the management (QoS specification 8), as `qos proto` prints it. Messages are written and read by this text:
 * it is their only description.
 */
export const PROTO = `syntax = "proto3";

package etcdqospb;

service QoS {
  rpc ClassAdd(ClassWrite) returns (Changed);
  rpc ClassUpdate(ClassWrite) returns (Changed);
  rpc ClassDelete(Name) returns (Changed);
  rpc ClassGet(Name) returns (Class);
  rpc ClassList(Nothing) returns (ClassListResponse);
  rpc RuleAdd(RuleWrite) returns (Changed);
  rpc RuleUpdate(RuleWrite) returns (Changed);
  rpc RuleDelete(Name) returns (Changed);
  rpc RuleGet(Name) returns (Rule);
  rpc RuleList(Nothing) returns (RuleListResponse);
  rpc RuleTest(RuleTestRequest) returns (RuleTestResponse);
  rpc TrackerList(TrackerListRequest) returns (TrackerListResponse);
  rpc Monitor(MonitorRequest) returns (stream Request);
  rpc Advise(Nothing) returns (AdviseResponse);
}

message Nothing {}

message Name {
  optional string name = 1;
}

message Class {
  optional string name = 1;
  // tbf, lbf, maxinflight or window
  optional string qdisc = 2;
  optional double qps = 3;
  optional double burst = 4;
  optional double num = 5;
  optional double limit = 6;
  optional double window_ms = 7;
  optional string action = 8;
  optional double max_delay_ms = 9;
  optional double max_waiting = 10;
  optional string cost = 11;
  optional string group_by = 12;
  optional double max_groups = 13;
}

message Subject {
  optional string user = 1;
  optional string client_ip = 2 [json_name = "clientIP"];
}

message KeyRange {
  optional string key = 1;
  optional string range_end = 2;
}

message Condition {
  optional string kind = 1;
  optional double threshold = 2;
}

message Rule {
  optional string name = 1;
  optional string q_class_name = 2;
  optional double priority = 3;
  optional bool enabled = 4;
  repeated Subject subjects = 5;
  repeated string prefix_paths = 6;
  repeated KeyRange ranges = 7;
  optional string key_match = 8;
  repeated string ops = 9;
  repeated string methods = 10;
  optional double min_retry = 11;
  repeated Condition conditions = 12;
  optional string scope = 13;
  optional bool allow_all = 14;
}

// An update changes the members that are given; clear names those to remove.
message ClassWrite {
  optional Class class = 1;
  repeated string clear = 2;
}

message RuleWrite {
  optional Rule rule = 1;
  repeated string clear = 2;
}

message Changed {
  optional double revision = 1;
  repeated string warnings = 2;
}

message ClassListResponse {
  repeated Class classes = 1;
}

message RuleListResponse {
  repeated Rule rules = 1;
}

message Element {
  optional string op = 1;
  optional string key = 2;
  optional string range_end = 3;
  optional bool prefix = 4;
}

// A request as in a recording, and what it is expected to cost.
message RuleTestRequest {
  // KV/Range
  optional string method = 1;
  optional string key = 2;
  optional string range_end = 3;
  optional bool prefix = 4;
  optional double limit = 5;
  optional double revision = 6;
  optional bool keys_only = 7;
  optional bool count_only = 8;
  repeated Element success = 9;
  repeated Element failure = 10;
  // whom an Authenticate is about
  optional string name = 11;
  optional string user = 12;
  optional string client_ip = 13 [json_name = "clientIP"];
  optional double request_bytes = 14;
  optional double previous_attempts = 15;
  optional double storage_quota_used = 16;
  optional double scanned_keys = 17;
  optional double response_bytes = 18;
  optional double latency_ms = 19;
}

message RuleOutcome {
  optional string rule = 1;
  optional string class_name = 2;
  optional double priority = 3;
  // applies, outranked, no match or disabled
  optional string outcome = 4;
  optional string reason = 5;
}

message RuleTestResponse {
  optional string request = 1;
  optional string verdict = 2;
  optional string explanation = 3;
  repeated RuleOutcome rules = 4;
}

message TrackerListRequest {
  // scan (default), traffic or latency
  optional string by = 1;
  // 1 to 10 (default)
  optional double top = 2;
}

message Tracker {
  optional double entries = 1;
  optional double capacity = 2;
  optional double hits = 3;
  optional double misses = 4;
  optional double evictions = 5;
}

// Requests alike in the last ten minutes, and what they cost together.
message Usage {
  optional string op = 1;
  optional string keys = 2;
  optional double requests = 3;
  optional double limited = 4;
  optional double scanned_keys = 5;
  optional double request_bytes = 6;
  optional double response_bytes = 7;
  optional double mean_ms = 8;
}

message TrackerListResponse {
  optional Tracker tracker = 1;
  repeated Usage top = 2;
}

message MonitorRequest {
  // latency in milliseconds, traffic in bytes, or scanKeyNum
  optional string type = 1;
  optional double threshold = 2;
  // 1 to 99
  optional double limit = 3;
  // only requests that this rule decided
  optional string rule = 4;
}

message Request {
  // milliseconds since 1970
  optional double at = 1;
  optional string method = 2;
  optional string request = 3;
  optional string user = 4;
  optional string client_ip = 5 [json_name = "clientIP"];
  optional string verdict = 6;
  optional string rule = 7;
  optional string class = 8;
  optional string reason = 9;
  optional double retry_after_ms = 10;
  optional double waited_ms = 11;
  optional double scanned_keys = 12;
  optional double request_bytes = 13;
  optional double response_bytes = 14;
  optional double latency_ms = 15;
  optional string hash = 16;
}

message Verdicts {
  optional double passed = 1;
  optional double delayed = 2;
  optional double limited = 3;
}

// What rules would have done with the requests of the last minutes.
message Preview {
  optional double requests = 1;
  optional double span_ms = 2;
  optional Verdicts would = 3;
  optional Verdicts did = 4;
}

message Advice {
  optional string id = 1;
  optional string title = 2;
  optional string why = 3;
  repeated Class classes = 4;
  repeated Rule rules = 5;
  optional bool in_effect = 6;
  optional Preview preview = 7;
  optional string problem = 8;
}

message AdviseResponse {
  repeated Advice advice = 1;
}
`
