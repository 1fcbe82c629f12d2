/** The metadata store belongs to another release, or cannot be used. The message says what to do. */
export class MetadataMismatch extends Error {
  override name = 'MetadataMismatch'
}

/** The metadata store does not respond at the moment. The same call may succeed later. */
export class MetadataUnavailable extends Error {
  override name = 'MetadataUnavailable'
}

/** Another process with the same Postgres database stores its events elsewhere. */
export class EventsElsewhere extends Error {
  override name = 'EventsElsewhere'
}

/** Another project has the token. */
export class TokenTaken extends Error {
  override name = 'TokenTaken'
}
