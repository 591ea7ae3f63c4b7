export { VoicePicker } from "./VoiceCard";
