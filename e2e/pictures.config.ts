import { defineConfig } from 'playwright/test'
import config from '../playwright.config'

// `npm run docs:pictures`: draws the pictures of the guides.
export default defineConfig({ ...config, testDir: 'pictures', workers: 1 })
