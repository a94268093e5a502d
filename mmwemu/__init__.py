"""What does a 5G mmWave link do to my application?"""
