# What the build knows of the processor's architecture: PENNYWORTH_ARCHITECTURE, "x86" or "arm" or
# "other", and for each instruction set of the engine's kernels the flags FLAGS_<set>. A set of another
# architecture gets no flags: its body is written in the compiler's vectors and compiles anyway, so that
# its test runs, but cpu_probe() never chooses it.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(PENNYWORTH_ARCHITECTURE x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(PENNYWORTH_ARCHITECTURE arm)
else()
    set(PENNYWORTH_ARCHITECTURE other)
endif()

foreach(SET portable avx2 avx2_fma avx512 avx512_fma avx512_bf16 amx)
    set(FLAGS_${SET})
endforeach()
if(PENNYWORTH_ARCHITECTURE STREQUAL x86)
    set(FLAGS_avx2 -mavx2)
    set(FLAGS_avx2_fma -mavx2 -mfma)
    set(FLAGS_avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512)
    set(FLAGS_avx512_fma ${FLAGS_avx512} -mfma)
    set(FLAGS_avx512_bf16 ${FLAGS_avx512} -mavx512bf16)
    set(FLAGS_amx ${FLAGS_avx512_bf16} -mfma -mamx-tile -mamx-bf16)
endif()
