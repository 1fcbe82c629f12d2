/** The store does not fit this release, or cannot be used. Its message says what to do. */
export class RecordsMismatch extends Error {
  override name = 'RecordsMismatch'
}

/** The store does not answer at the moment; the same call may succeed later. */
export class RecordsUnavailable extends Error {
  override name = 'RecordsUnavailable'
}

/** Another project has the token. */
export class TokenTaken extends Error {
  override name = 'TokenTaken'
}
