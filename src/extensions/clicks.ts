export { createDetector } from './clicks/detector'
