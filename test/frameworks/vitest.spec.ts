import { test } from 'playwright/test'
import { prepareExample } from './support/example'

test('examples/vitest: its tests pass, and its types compile', () => prepareExample('vitest'))
