import { execFileSync, spawn } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from 'node:tls'
import { findProgram } from '../../scripts/findProgram.mjs'
import { ROOT } from './root'

/** A reverse proxy that terminates TLS for the hosts of `example.com`. */
export interface ReverseProxy {
  port: number
  /** Returns what the program has printed. */
  output(): string
  stop(): Promise<void>
}

const freePort = () =>
  new Promise<number>((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })

/** Whether the program that serves `port` accepts connections with TLS for `host`. */
const acceptsTls = (port: number, host: string) =>
  new Promise<boolean>((done) => {
    const socket = connect({ port, host: '127.0.0.1', servername: host, rejectUnauthorized: false })
    const end = (isAccepted: boolean) => {
      socket.destroy()
      done(isAccepted)
    }
    socket.once('secureConnect', () => end(true)).once('error', () => end(false))
    socket.once('close', () => end(false))
  })

interface Place {
  readonly folder: string
  readonly port: number
  readonly host: string
}

/** Starts a program that serves `host` on `port`. Rejects with its output if it exits first. */
const startProxy = async (command: string, args: readonly string[], { folder, port, host }: Place) => {
  const child = spawn(command, args, { env: { ...process.env, HOME: folder }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  while (!(await acceptsTls(port, host))) {
    if (child.exitCode !== null) throw new Error(`${command} ended:\n${output}`)
    await wait(50)
  }
  return {
    port,
    output: () => output,
    stop: async () => {
      child.kill()
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** Hash of the key of all certificates, as Chromium's `--ignore-certificate-errors-spki-list` takes it. */
export const KEY_HASH = createHash('sha256')
  .update(publicKey.export({ type: 'spki', format: 'der' }))
  .digest('base64')

/** Creates a folder with a certificate, and returns the paths. */
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'trailmark-proxy-'))
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const names = ['-subj', '/CN=example.com', '-addext', 'subjectAltName=DNS:*.example.com', '-days', '1']
  execFileSync('openssl', ['req', '-x509', ...names, '-key', key, '-out', certificate], { stdio: 'ignore' })
  return { folder, key, certificate }
}

/** Starts nginx with one `server` block, which listens on port 443. */
const startNginx = async (block: string): Promise<ReverseProxy> => {
  const command = findProgram({
    names: ['nginx'],
    variable: 'TRAILMARK_NGINX',
    debian: 'nginx-light',
    advice: 'Install nginx, or set TRAILMARK_NGINX to its path.',
  })
  const { folder, key, certificate } = newFolder()
  const port = await freePort()
  const host = /server_name ([^;]+);/.exec(block)![1]!
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${folder}/${what};`,
  )
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr; ${process.getuid!() ? '' : 'user root;'}
events {}
http {
  access_log off; ssl_certificate ${certificate}; ssl_certificate_key ${key}; ${temporary.join(' ')}
  ${block.replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)}
}`,
  )
  return startProxy(command, ['-p', folder, '-c', file], { folder, port, host })
}

/** Starts Caddy with one site of the form `HOST { … }`. */
const startCaddy = async (site: string): Promise<ReverseProxy> => {
  const command = findProgram({
    names: ['caddy'],
    variable: 'TRAILMARK_CADDY',
    debian: 'caddy',
    advice: 'Install Caddy, or set TRAILMARK_CADDY to its path.',
  })
  const { folder, key, certificate } = newFolder()
  const port = await freePort()
  const host = /^\S+/.exec(site)![0]
  const file = join(folder, 'Caddyfile')
  writeFileSync(
    file,
    `{
  admin off
  auto_https disable_redirects
  skip_install_trust
  storage file_system ${folder}
}
${site.replace(/^(\S+) \{/, `https://$1:${port} {\n  bind 127.0.0.1\n  tls ${certificate} ${key}`)}
`,
  )
  return startProxy(command, ['run', '--config', file, '--adapter', 'caddyfile'], { folder, port, host })
}

// The site answers its own paths, so that a test can tell which of them the proxy forwards.
const ELSEWHERE = 418

/** Proxies by name: how to start one, wrap a location in a virtual host, and strip the path prefix. */
export const PROXIES = {
  nginx: {
    language: 'nginx',
    start: startNginx,
    onHost: (host: string, location: string) => `server {
  listen 443 ssl;
  server_name ${host};
  ${location}
  location = / { return 200; }
  location / { return ${ELSEWHERE}; }
}`,
    removePath: (block: string) => block.replace(/(proxy_pass http:\/\/[^/;]+);/, '$1/;'),
    /** Status of paths below /ingest/ that are not forwarded. */
    notForwarded: ELSEWHERE,
  },
  Caddy: {
    language: 'caddyfile',
    start: startCaddy,
    onHost: (host: string, handle: string) => `${host} {\n${handle}\nrespond 200\n}`,
    removePath: (block: string) => block.replace('handle ', 'handle_path '),
    notForwarded: 404,
  },
} as const

export type ProxyName = keyof typeof PROXIES

/** Returns the configurations of a proxy that docs/operate/operations.md prints, for a service at `url`. */
export const printedConfigs = (name: ProxyName, url: string) => {
  const page = readFileSync(join(ROOT, 'docs/operate/operations.md'), 'utf8')
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${PROXIES[name].language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))]
  const [console, path, events] = blocks.map(([, block]) => block!.replaceAll('127.0.0.1:8000', new URL(url).host))
  return { console: console!, path: path!, events: events! }
}
