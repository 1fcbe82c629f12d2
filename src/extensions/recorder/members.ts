const rows = (type: string, names: string): Record<string, string> =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

/** The types of the members of `session_recording`, which only the recorder reads. */
export const SESSION_RECORDING: Record<string, string | Record<string, string>> = {
  // The recorder does not start if one of these is wrong, because their defaults would mask less.
  ...rows(
    '',
    'masking maskInputFn maskTextSelector maskTextClass maskTextFn maskAttributeFn blockSelector blockClass maskCapturedNetworkRequestFn',
  ),
  ...rows(
    'boolean',
    'maskAllInputs maskAllElementAttributes recordSameOriginIframes collectFonts inlineStylesheet strictMinimumDuration recordHeaders recordBody streamNetworkBody',
  ),
  ...rows(
    'number | null',
    'sampleRate minimumDurationMilliseconds session_idle_threshold_ms full_snapshot_interval_millis trigger_pending_buffer_interval_millis',
  ),
  maskInputOptions: 'object',
  attributeFilter: 'array of strings',
  ignoreClass: 'string',
  recordCrossOriginIframes: 'boolean | array of strings',
  slimDOMOptions: "'all' | object | boolean",
  captureCanvas: { recordCanvas: 'boolean', canvasFps: 'number', canvasQuality: 'number | string' },
  canvasCapture: { resolutionScale: 'number' },
  sampling: { mousemove: 'boolean | number', mouseInteraction: 'boolean | object' },
}
