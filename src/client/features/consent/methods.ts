export const CONSENT_METHODS = {
  opt_in_capturing: undefined,
  opt_out_capturing: undefined,
  clear_opt_in_out_capturing: undefined,
}
