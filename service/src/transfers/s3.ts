import { own } from '../lib/own.ts'
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { request } from 'undici'
import { pause } from '../lib/wait.ts'
import type { Target } from './targets.ts'

export interface S3Options {
  /** URL of the store. Absent: the AWS endpoint of the region. */
  readonly endpoint?: string | undefined
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly bucket: string
  /** Prefix of all file names. */
  readonly prefix: string
}

/** The store refused a request. The message has no secrets. */
export class S3Refused extends Error {
  override name = 'S3Refused'
}

const TRIES = 3
const RETRY_MS = 500
const MAX_TEXT_BYTES = 10_000_000
const UNSIGNED = 'UNSIGNED-PAYLOAD'

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Returns the headers of a request, signed (AWS Signature Version 4). `path` is encoded. */
const signed = (
  { region, accessKeyId, secretAccessKey, sessionToken }: S3Options,
  { method, host, path, now }: { method: string; host: string; path: string; now: Date },
) => {
  const at = now.toISOString().replace(/[-:]|\.\d{3}/g, '')
  const day = at.slice(0, 8)
  const headers: Record<string, string> = {
    host,
    'x-amz-content-sha256': UNSIGNED,
    'x-amz-date': at,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  }
  const names = Object.keys(headers).sort()
  const canonical = [
    method,
    path,
    '',
    ...names.map((name) => `${name}:${own(headers, name)!}`),
    '',
    names.join(';'),
    UNSIGNED,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  const signature = hmac(key, text).toString('hex')
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

const isTemporary = (status: number) => status >= 500 || status === 429 || status === 408

/** Creates the target for a bucket of an S3-compatible store. */
export const s3Target = (options: S3Options): Target => {
  const { endpoint, region, bucket, prefix } = options
  const { origin, host, pathname } = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)

  /**
   * Sends a request, and retries it after a temporary error. Resolves with the text, or `undefined` if the file does
   * not exist.
   */
  const send = async (method: 'PUT' | 'GET', name: string, file?: string): Promise<string | undefined> => {
    const key = [bucket, ...prefix.split('/'), ...name.split('/')].filter(Boolean).map(encode).join('/')
    const path = `${pathname.replace(/\/$/, '')}/${key}`
    for (let tries = 1; ; tries += 1) {
      const failure = await request(`${origin}${path}`, {
        method,
        headers: {
          ...signed(options, { method, host, path, now: new Date() }),
          ...(file ? { 'content-length': String(statSync(file).size) } : {}),
        },
        body: file ? createReadStream(file) : null,
      }).then(
        async ({ statusCode, body, headers }) => {
          if (Number(headers['content-length'] ?? 0) > MAX_TEXT_BYTES) throw new S3Refused(`${name} is too large`)
          const text = await body.text()
          if (statusCode < 300) return { text }
          if (statusCode === 404 && method === 'GET' && /NoSuchKey/.test(text)) return { text: undefined }
          const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1] ?? ''
          return { isTemporary: isTemporary(statusCode), why: `${statusCode} ${code}`.trim() }
        },
        (error: NodeJS.ErrnoException) => ({ isTemporary: true, why: error.code ?? error.message }),
      )
      if (!('why' in failure)) return failure.text
      if (!failure.isTemporary || tries === TRIES) throw new S3Refused(failure.why)
      await pause(RETRY_MS * tries)
    }
  }

  return {
    async write(path, body) {
      // The store must know the length first, and a retry sends everything again.
      const file = join(tmpdir(), `trailmark-export-${randomUUID()}`)
      try {
        const writer = createWriteStream(file, { mode: 0o600 })
        await pipeline(typeof body === 'string' ? [Buffer.from(body)] : body, writer)
        await send('PUT', path, file)
      } finally {
        rmSync(file, { force: true })
      }
    },
    read: (path) => send('GET', path),
  }
}

/** Returns the options for a URL such as `s3://bucket/prefix`, from the environment. A string: the missing part. */
export const s3Options = (url: string, env: NodeJS.ProcessEnv): S3Options | string => {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(url) ?? []
  if (!bucket) return 'expects a URL such as s3://bucket/prefix'
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId || !secretAccessKey) return 'expects AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment'
  return {
    bucket,
    prefix,
    accessKeyId,
    secretAccessKey,
    sessionToken: env.AWS_SESSION_TOKEN,
    region: env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1',
    endpoint: env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL,
  }
}
