export { device } from '../../client/features/device/device'
