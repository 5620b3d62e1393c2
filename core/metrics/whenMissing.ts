/**
 * What is unavailable, or shown instead, without each family that is needed: one sentence for users whose server does not
 * expose it. They are apart from the catalogue, which the page has as well.
 */
export const WHEN_MISSING: Readonly<Record<string, string>> = {
  apiserver_flowcontrol_rejected_requests_total: 'Rejections are unknown.',
  apiserver_flowcontrol_dispatched_requests_total: 'Dispatched requests and their rate are unknown.',
  apiserver_flowcontrol_current_inqueue_requests: 'Queued requests are unknown.',
  apiserver_flowcontrol_current_inqueue_seats: 'Queued seats are unknown; queued requests are shown.',
  apiserver_flowcontrol_request_queue_length_after_enqueue: 'Queue lengths at arrival are unknown.',
  apiserver_flowcontrol_current_executing_requests: 'Executing requests are unknown.',
  apiserver_flowcontrol_current_executing_seats: 'Executing seats are unknown.',
  apiserver_flowcontrol_request_wait_duration_seconds: 'Waiting times are unknown.',
  apiserver_flowcontrol_request_execution_seconds: 'Execution times are unknown.',
  apiserver_flowcontrol_watch_count_samples: 'Watchers per mutating request are unknown.',
  apiserver_flowcontrol_work_estimated_seats: 'Seats per request are unknown.',
  apiserver_flowcontrol_request_dispatch_no_accommodation_total: 'Failed attempts to dispatch are unknown.',
  apiserver_flowcontrol_nominal_limit_seats: 'Nominal limits are unknown, and with them lending and borrowing.',
  apiserver_flowcontrol_lower_limit_seats: 'Lower limits are unknown.',
  apiserver_flowcontrol_upper_limit_seats: 'Upper limits are unknown.',
  apiserver_flowcontrol_current_limit_seats: 'Current limits are unknown, and with them lending and borrowing.',
  apiserver_flowcontrol_demand_seats_high_watermark: 'The high watermark of demand is unknown.',
  apiserver_flowcontrol_demand_seats_average: 'The average demand is unknown.',
  apiserver_flowcontrol_demand_seats_stdev: 'The deviation of demand is unknown.',
  apiserver_flowcontrol_demand_seats_smoothed: 'Smoothed demand is unknown, and why limits are what they are.',
  apiserver_flowcontrol_target_seats: 'Targets are unknown.',
  apiserver_flowcontrol_seat_fair_frac: 'The fair fraction is unknown.',
  apiserver_flowcontrol_current_r: 'Virtual time is unknown.',
  apiserver_flowcontrol_dispatch_r: 'R at the last dispatch is unknown.',
  apiserver_flowcontrol_latest_s: 'The virtual start of the last dispatch is unknown.',
  apiserver_flowcontrol_next_s_bounds: 'Bounds of virtual starts are unknown.',
  apiserver_flowcontrol_next_discounted_s_bounds: 'Discounted bounds of virtual starts are unknown.',
  apiserver_flowcontrol_epoch_advance_total: 'Shifts of virtual time are unknown.',
  apiserver_flowcontrol_priority_level_seat_utilization: 'Utilisation is known only at the instants of the scrapes.',
  apiserver_flowcontrol_demand_seats: 'Demand is known only as statistics of adjustment periods.',
  apiserver_flowcontrol_request_concurrency_limit:
    'Nothing is lost: nominal_limit_seats has the same value and is shown.',
  apiserver_flowcontrol_request_concurrency_in_use:
    'Nothing is lost: current_executing_seats has the same value and is shown.',
  process_start_time_seconds: 'A restart is noticed only when a counter falls.',
  kubernetes_build_info: 'The metrics do not show the version of the server.',
}
