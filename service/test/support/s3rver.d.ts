declare module 's3rver' {
  /** A store that speaks the protocol of S3, with files in a folder. */
  export default class S3rver {
    constructor(options: Readonly<Record<string, unknown>>)
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
