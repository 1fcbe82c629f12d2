/** The release and its distribution channel. Replaced at build time. */
declare const __VERSION__: string
declare const __CHANNEL__: 'npm' | 'cdn'

export const VERSION = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0'
export const CHANNEL = typeof __CHANNEL__ === 'string' ? __CHANNEL__ : 'npm'
