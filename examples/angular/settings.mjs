// Writes the settings of the environment into the application, which has none of its own.
import { writeFileSync } from 'node:fs'

const { NG_APP_TRAILMARK_HOST: host = '', NG_APP_TRAILMARK_TOKEN: token = '' } = process.env
writeFileSync('src/settings.ts', `export const settings = ${JSON.stringify({ host, token })}\n`)
