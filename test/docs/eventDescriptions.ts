/** Meanings of the names in events. `events.test.ts` compares them with the sources in both directions. */

export interface EventDescription {
  /** When the event is captured. */
  when: string
  /** Properties specific to this event, or with another meaning on it. */
  properties?: Readonly<Record<string, string>>
}

const PREVIOUS = {
  $prev_pageview_id: '`uuid` of the previous `$pageview`.',
  $prev_pageview_pathname: 'Its path.',
  $prev_pageview_duration: 'Time spent on it, s.',
  '$prev_pageview_…': 'Scroll depth, [protocol](protocol.md#5.8).',
  '$prev_pageview_…_percentage': 'Scroll depth as a share, 0 to 1.',
}

const ELEMENT = {
  $event_type: 'Type of the DOM event: `click`, `change`, `submit`, `copy` or `cut`.',
  $elements_chain: 'The element and its ancestors, [protocol](protocol.md#12.5).',
  $el_text: 'Text of the element.',
  $external_click_url: 'URL of the clicked link, if it leads to another host.',
  $ce_version: 'Version of this format: 1.',
}

/** When each kind of event happens, and what becomes of what waits when another person comes. */
export const MOMENTS: readonly (readonly [events: string, moment: string, atChange: string])[] = [
  [
    '`capture` and other methods',
    'The call. A call before `init` or in the queue of the snippet has its own time and URL, and the rest from when the SDK runs it, in order with `reset` and consent. The queues of other snippets have no time: when the SDK runs it.',
    'Nothing waits.',
  ],
  ['`$pageview`', 'A task after the page is shown or the path has changed.', 'Captured at once.'],
  ['`$autocapture`, `$copy_autocapture`', 'The click, change, submit, copy or cut.', 'Captured at once.'],
  [
    '`$rageclick`',
    'The third click, although it is captured half a second later.',
    'Decided at once by what is known. Clicks of two persons are never one run.',
  ],
  [
    '`$dead_click`, `$dead_swipe`',
    'The click, or the end of the swipe, although it is captured 2.75 s later.',
    'Not captured: the change is a response.',
  ],
  [
    '`$exception`',
    'The error or the call, also if the code that describes it has still to load.',
    'Captured at once, with its stack as text if the code has not loaded. Steps before it are dropped.',
  ],
  [
    '`$web_vitals`',
    'The first of its metrics. Each metric has its own time.',
    'Captured at once. What a metric measured before the change is not reported after it.',
  ],
  ['`$$heatmap`', 'The last of its points. All points are of one session.', 'Captured at once.'],
  [
    '`$snapshot`',
    'The first recorded change of its part. All changes are of one person, session and window.',
    'Sent at once. The recording of the next person begins with a full snapshot, and without requests that began before.',
  ],
  [
    'Events of surveys',
    'The visitor’s action.',
    'An open survey is closed, and calls that wait to show one are dropped.',
  ],
  [
    '`$feature_flag_called`',
    'The call that read the flag.',
    'Nothing waits. A response of `/flags` about another person or other groups is dropped.',
  ],
]

export const EVENTS: Readonly<Record<string, EventDescription>> = {
  $pageview: {
    when: 'A page is shown: after `init`, when it comes back from the back/forward cache, and with `capture_pageview: "history_change"` when the path changes.',
    properties: {
      title: 'Title of the document.',
      navigation_type: '`pushState`, `replaceState` or `popstate`, if the path changed without a page load.',
      $route:
        'Pattern of the route, such as `/items/:id`, if a helper of a framework knows it (`trailmark/vue` and others).',
      ...PREVIOUS,
    },
  },
  $pageleave: { when: 'A page is left (`capture_pageleave`).', properties: PREVIOUS },
  $snapshot: {
    when: 'A part of a session recording. It has these properties and no others.',
    properties: {
      $snapshot_data: 'Events of rrweb.',
      $snapshot_bytes: 'Size of the data, characters.',
      $snapshot_host: 'Host and port of the page.',
      $snapshot_sequence: 'Number of the part within the session and window, from 0.',
      $snapshot_has_full: 'Whether it begins with a snapshot of the whole page.',
      $snapshot_policy: '`strict` or `default`: what was masked.',
      $snapshot_dropped: 'Changes that were left out because the page changes too often.',
    },
  },
  $autocapture: { when: 'A click, change or submit (`autocapture`).', properties: ELEMENT },
  $copy_autocapture: {
    when: 'Text is copied or cut (`autocapture.capture_copied_text`).',
    properties: {
      ...ELEMENT,
      $selected_content: 'The selected text, at most 255 characters.',
      $copy_type: '`copy` or `cut`.',
    },
  },
  $rageclick: {
    when: 'Three quick clicks in one spot, at least one of them without a response (`rageclick`).',
    properties: ELEMENT,
  },
  $exception: {
    when: 'An exception: `captureException`, or `capture_exceptions`.',
    properties: {
      $exception_list: 'The error and its causes, with their frames, [exceptions](../guides/exceptions.md).',
      $exception_level: 'Always `error`.',
      $exception_steps: 'Steps before it, each with `$message` and `$timestamp`.',
      $request_method:
        'Method of the request that failed on the server, from `captureRequestErrors` of `trailmark/next/server`.',
      $exception_component_stack: 'Stack of components, from the error boundary of `trailmark/react`.',
      $message: 'In a step: its message.',
      $timestamp: 'In a step: its time, ISO 8601.',
      $release_id: 'Release that the build tool of another vendor has set.',
    },
  },
  $feature_view: { when: 'The children of `TrailmarkFeature` (`trailmark/react`) are seen for the first time.' },
  $feature_interaction: { when: 'The first click on the children of `TrailmarkFeature` (`trailmark/react`).' },
  $dead_click: {
    when: 'A click without a response (`capture_dead_clicks`).',
    properties: {
      ...ELEMENT,
      $elements: 'The elements of `$elements_chain` as a list.',
      $dead_click_event_timestamp: 'Time of the click, ms since 1970.',
      $dead_click_last_mutation_timestamp:
        'Time of the first change to the document that came too late, ms since 1970.',
      $dead_click_mutation_timeout: 'Whether the document changed too late.',
      $dead_click_scroll_timeout: 'Whether the page scrolled too late.',
      $dead_click_selection_changed_timeout: 'Whether the selection changed too late.',
      $dead_click_visibility_changed_timeout: 'Always false.',
      $dead_click_absolute_timeout: 'Always true: the wait is over.',
      '$dead_click_…_delay_ms': 'Delay of the first change of each kind that came too late, ms.',
      $dead_click_absolute_delay_ms: 'Time from the click to the verdict, ms.',
    },
  },
  $dead_swipe: {
    when: 'A swipe of one finger without a response (`capture_dead_clicks`).',
    properties: {
      ...ELEMENT,
      $elements: 'The elements of `$elements_chain` as a list.',
      $dead_swipe_direction: '`left`, `right`, `up` or `down`.',
      $dead_swipe_distance_px: 'Distance from the first to the last touch, px.',
      '$dead_swipe_…': 'As for `$dead_click`, from the end of the swipe.',
    },
  },
  $web_vitals: {
    when: 'Metrics of a page view are known (`capture_performance`): 5 s after the first one, and when the page is hidden.',
    properties: {
      '$web_vitals_…_value': 'Value of LCP, CLS, FCP, INP or TTFB, ms. CLS has no unit.',
      '$web_vitals_…_event':
        'The metric: `id`, `value`, `rating`, `delta`, `navigationType`, `$current_url`, `$session_id`, `$window_id`, `timestamp`, and with `web_vitals_attribution` what caused it. The last value of an `id` counts.',
      $web_vitals_navigation_type:
        '`navigate`, `reload`, `back-forward`, `back-forward-cache`, `prerender`, `restore` or `soft-navigation`.',
      $current_url: 'URL that the metrics belong to.',
      $pathname: 'Its path.',
    },
  },
  'survey shown': {
    when: 'A survey appeared ([surveys](../guides/surveys.md)).',
    properties: {
      $survey_id: 'Id of the survey, on all events of surveys.',
      $survey_name: 'Its name, in the language in which it was shown.',
      $survey_iteration: 'Its iteration, if it has several.',
      $survey_iteration_start_date: 'When the iteration started.',
      $survey_language: 'Language of the translation, if a text of it was shown.',
      sessionRecordingUrl: 'URL of the recording of the session.',
      $survey_last_seen_date: 'In `$set`: the time, ISO 8601.',
    },
  },
  'survey sent': {
    when: 'A survey was answered, or one of its questions with `enable_partial_responses`.',
    properties: {
      $survey_submission_id: 'The same for all events of one answering.',
      $survey_completed: 'Whether the last question was answered.',
      $survey_questions: 'All questions: `id`, `question`, `response`.',
      '$survey_response_…': 'The answer to a question, by its id, and by its index for older queries.',
      $survey_response: 'The answer to the first question.',
      '$survey_responded/…': "In `$set`: true. The name ends with the survey's id and, if it has one, its iteration.",
    },
  },
  'survey dismissed': {
    when: 'A survey was closed before its end. With the answers so far, as in `survey sent`.',
    properties: {
      $survey_partially_completed: 'Whether a question was answered.',
      '$survey_dismissed/…': "In `$set`: true. The name ends with the survey's id and, if it has one, its iteration.",
    },
  },
  'survey abandoned': {
    when: 'The page was left while a survey was in progress, once per survey. As `survey dismissed`.',
  },
  $$heatmap: {
    when: 'Every 5 s while there are points, and when the page is hidden (`capture_heatmaps`).',
    properties: {
      $heatmap_data: 'Lists of points by URL, [protocol](protocol.md#12.7).',
      $heatmap_dropped: 'Number of points that exceeded the limit of an event.',
    },
  },
  $identify: {
    when: '`identify` names an anonymous visitor.',
    properties: { distinct_id: 'The new id.', $anon_distinct_id: 'The id until now.' },
  },
  $set: {
    when: '`setPersonProperties`, `unsetPersonProperties`, `createPersonProfile`, and `identify` with an id that is known already.',
    properties: {
      $set: 'Person properties to overwrite.',
      $set_once: 'Person properties to set if they have no value.',
      $unset: 'Names of person properties to remove.',
    },
  },
  $create_alias: {
    when: '`alias`.',
    properties: { alias: 'The additional id.', distinct_id: 'The id it is added to.' },
  },
  $groupidentify: {
    when: '`group`, if the group is new for the visitor or has properties.',
    properties: {
      $group_type: 'Type of the group.',
      $group_key: 'Key of the group.',
      $group_set: 'Group properties to overwrite.',
    },
  },
  $feature_flag_called: {
    when: 'A flag is read, once for each flag and value.',
    properties: {
      $feature_flag: 'Key of the flag.',
      $feature_flag_response: 'Its value.',
      $feature_flag_payload: 'Its payload, or null.',
      $feature_flag_request_id: 'Id of the response with the value.',
      $feature_flag_evaluated_at: 'When the service evaluated it, ms since 1970.',
      $feature_flag_bootstrapped_response: 'Value from `bootstrap`, or null.',
      $feature_flag_bootstrapped_payload: 'Payload from `bootstrap`, or null.',
      $used_bootstrap_value: 'Whether no response has arrived on this page yet.',
      $feature_flag_id: 'Id of the flag.',
      $feature_flag_version: 'Version of the flag.',
      $feature_flag_reason: 'Why the flag has this value.',
      $feature_flag_has_experiment: 'Whether the flag belongs to an experiment.',
      $feature_flag_original_response: 'Value from the service, if it is overridden.',
      $feature_flag_original_payload: 'Payload from the service, if it is overridden.',
      $feature_flag_error: 'Errors, separated by commas, [protocol](protocol.md#13.2).',
    },
  },
  $feature_enrollment_update: {
    when: '`updateEarlyAccessFeatureEnrollment`.',
    properties: {
      $feature_flag: 'Key of the flag.',
      $feature_enrollment: 'Whether the visitor takes part.',
      $feature_enrollment_stage: 'Stage of the feature.',
      $early_access_feature_name: 'Name of the feature, if it is known.',
    },
  },
  $opt_in: { when: '`opt_in_capturing`.' },
  $ai_feedback: {
    when: '`captureTraceFeedback`.',
    properties: { $ai_trace_id: 'Id of the trace.', $ai_feedback_text: 'The text.' },
  },
  $ai_metric: {
    when: '`captureTraceMetric`.',
    properties: {
      $ai_trace_id: 'Id of the trace.',
      $ai_metric_name: 'Name of the metric.',
      $ai_metric_value: 'Its value, as a string.',
    },
  },
  $$client_ingestion_warning: {
    when: '`rate_limiting` drops an event, once until another event passes.',
    properties: { $$client_ingestion_warning_message: 'How often the limit was reached, and the limits.' },
  },
}

/** Properties of every event, by source. */
export const PROPERTIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Project and visitor': {
    token: 'Token of the project.',
    distinct_id: 'Id of the visitor.',
    $device_id: 'Id of the browser. Stays after `identify` and `reset`.',
    $user_id: 'The id passed to `identify`.',
    $is_identified: 'Whether the visitor is identified.',
    $groups: 'Group keys by type.',
    $process_person_profile: 'Whether the event creates or changes a person profile.',
    $had_persisted_distinct_id: 'Whether `identify` found a stored id without a device id.',
    $last_posthog_reset: 'Time of the last `reset`, ISO 8601.',
    $cookieless_mode: 'True in cookieless mode.',
    $exception_capture_enabled_server_side: 'Whether the project captures exceptions, once its settings were received.',
    $browser_type: '`bot` or `browser`, with `opt_out_useragent_filter`.',
  },
  'Session and pageview': {
    $session_id: 'Id of the session, a UUIDv7.',
    $window_id: 'Id of the browser tab.',
    $pageview_id: '`uuid` of the latest `$pageview`.',
    '$session_entry_…': 'Where the session began, [protocol](protocol.md#5.7).',
    $configured_session_timeout_ms: '`session_idle_timeout_seconds` in ms.',
    $initialization_time: 'Time of `init` on this page, ISO 8601.',
  },
  'Page and browser': {
    $current_url: 'URL of the page.',
    $host: 'Host and port.',
    $pathname: 'Path.',
    $referrer: 'URL that the visitor came from, or `$direct`.',
    $referring_domain: 'Its host, or `$direct`.',
    $search_engine: '`google`, `bing`, `yahoo` or `duckduckgo`, if the referrer is one.',
    ph_keyword: 'Search words, if the search engine reveals them.',
    'utm_source, …': 'Campaign parameters and click ids of the landing, [protocol](protocol.md#5.7).',
    $browser: 'Name of the browser.',
    $browser_version: 'Its version, a number.',
    $os: 'Operating system.',
    $os_version: 'Its version.',
    $device: 'Device, such as `iPhone`.',
    $device_type: '`Desktop`, `Mobile`, `Tablet`, `Console` or `Wearable`.',
    $raw_user_agent: 'User agent, at most 1,000 characters.',
    $browser_language: 'Language, such as `en-US`.',
    $browser_language_prefix: 'Its part before the hyphen.',
    $screen_width: 'Width of the screen, px.',
    $screen_height: 'Height of the screen, px.',
    $viewport_width: 'Width of the window, px.',
    $viewport_height: 'Height of the window, px.',
    $timezone: 'IANA name of the time zone.',
    $timezone_offset: 'Minutes behind UTC.',
  },
  'Feature flags': {
    $active_feature_flags: 'Keys of the flags that are on.',
    '$feature/…': 'Value of each flag.',
    $feature_flag_request_id: 'Id of the response that the values are from.',
    $override_feature_flags: 'Overridden values, if there are any.',
  },
  Surveys: { $surveys_activated: 'Ids of surveys whose event has happened and that were not shown yet.' },
  'Session recording': {
    $recording_status:
      '`active`, `sampled`, `buffering`, `paused`, `disabled`, `awaiting_config`, `missing_config`, `lazy_loading` or `rrweb_error`. In projects that record sessions.',
    $session_is_sampled: 'Id of the session if it is in the sample, otherwise `!` and the id.',
    $replay_sample_rate: 'Sample rate in effect when the SDK decided whether to record the session.',
    $session_recording_start_reason:
      'Why the session is recorded: `recording_initialized`, `session_id_changed`, `sampled`, `sampling_overridden`, `linked_flag_matched`, `linked_flag_overridden`, `url_trigger_matched` or `event_trigger_matched`.',
    $session_past_minimum_duration: 'Id of the session, once it has lasted long enough to be sent.',
    $session_recording_url_trigger_activated_session: 'Id of the session that a URL trigger has activated.',
    $session_recording_event_trigger_activated_session: 'Id of the session that an event trigger has activated.',
    '$replay_override_…':
      'Id of the session for which `startSessionRecording` overrides `sampling`, `linked_flag`, `url_trigger` or `event_trigger`.',
    $sdk_debug_replay_internal_buffer_length: 'Parts that are not sent yet.',
    $sdk_debug_replay_internal_buffer_size: 'Their size, characters.',
    $sdk_debug_replay_flushed_size: 'What this page has sent, characters.',
    $sdk_debug_replay_rrweb_attached: 'Whether rrweb runs.',
    $sdk_debug_replay_url_trigger_status: 'Trigger: `off`, `pending` or `activated`.',
    $sdk_debug_replay_event_trigger_status: 'The same for the event trigger.',
    $sdk_debug_replay_linked_flag_trigger_status: 'The same for the linked flag.',
    $sdk_debug_replay_stop_reason:
      'Why the session is not recorded, or why nothing more of it is sent, such as `sampling`, `trigger`, `minimum_duration`, `no_activity`, `idle`, `blocked_url`, `budget`, `page_too_large`, `refused_by_service`, `queue_full`, `recorder_unavailable` or `invalid_settings`.',
  },
  SDK: {
    $lib: 'Always `web`.',
    $lib_version: 'Release of the SDK.',
    $is_server: 'True for events of `trailmark/server`.',
    $geoip_disable: 'True if the service adds no country, because the address is that of a server.',
    $sdk_dist_channel: '`npm` or `cdn`.',
    $config_defaults: 'The option `defaults`.',
    $lib_custom_api_host: '`api_host`, if it is not a PostHog cloud.',
    $lib_rate_limit_remaining_tokens: 'Events that `rate_limiting` still allows in a burst.',
    $insert_id: 'The random end of the `uuid`.',
    $time: 'Time of the event, s since 1970.',
    $event_time_override_provided: 'True if the caller passed `timestamp`.',
    $event_time_override_system_time: 'The real time in that case, ISO 8601.',
  },
}

/** Person properties the SDK sets. */
export const PERSON_PROPERTIES: Readonly<Record<string, string>> = {
  '$initial_…': 'Where the visitor first came from, set once, [protocol](protocol.md#5.7).',
  $internal_or_test_user: 'True after `setInternalOrTestUser`.',
  '$feature_enrollment/…': 'Whether the visitor takes part in an early access feature.',
}
