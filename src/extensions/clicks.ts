export { createJudge } from './clicks/judge'
